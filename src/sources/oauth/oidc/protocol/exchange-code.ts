import { authorizationCodeGrant, type Configuration } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'
import { newSignInHint } from '../../flow.ts'
import { describeProvider } from '../describe-provider.ts'
import type { IssuedTokens } from '../provider.ts'
import { fetchKeys, type ProviderConnection } from './create-configuration.ts'
import { fetchAnswer } from './fetch-answer.ts'
import { refuseErrorAnswer } from './refuse-error-answer.ts'
import { type OidcAnswer, type TokenResult, toIssuedTokens } from './to-issued-tokens.ts'

/** The values with which a sign-in began. Its answer is checked against them. */
export interface CodeRequest {
  readonly redirectUri: string
  readonly state: string
  /** Only set if an ID token is asked for: some providers refuse it otherwise. */
  readonly nonce: string | undefined
  readonly codeVerifier: string
}

/** The person who has signed in, and the tokens. */
export interface SignedIn {
  readonly tokens: IssuedTokens
  /** `sub` of the ID token, if there is one. */
  readonly subject: string | undefined
}

/**
 * Exchanges the code that the browser brought back for tokens, once: a code that was sent is never sent again.
 * @throws {HelperError} `unavailable` if the answer was lost, and with it the code.
 */
export async function exchangeCode(
  callback: URLSearchParams,
  request: CodeRequest,
  connection: ProviderConnection,
): Promise<SignedIn> {
  const { settings } = connection
  const { redirectUri } = request
  const grant = 'authorization_code'
  try {
    const { result, answer } = await fetchAnswer<TokenResult>(
      {
        isValidOnce: true,
        keys: await fetchKeys(connection),
        make: (configuration, answer) => sendGrant(configuration, { callback, request, connection, answer }),
        refuse: (answer) => refuseErrorAnswer(answer, { where: 'token', grant, settings, redirectUri }),
        // The issuer that came back with the code (RFC 9207) has to be that of the ID token.
        findIssuer: (answer) => findTokenIssuer(answer) ?? callback.get('iss') ?? undefined,
      },
      connection,
    )
    return {
      tokens: toIssuedTokens(result, answer, { settings, code: callback.get('code') ?? undefined }),
      subject: result.claims()?.sub,
    }
  } catch (error) {
    throw toLostCode(error)
  }
}

interface Redeemed {
  readonly callback: URLSearchParams
  readonly request: CodeRequest
  readonly connection: ProviderConnection
  readonly answer: OidcAnswer | undefined
}

function sendGrant(configuration: Configuration, redeemed: Redeemed): Promise<TokenResult> {
  const { callback, request, connection, answer } = redeemed
  const { settings } = connection
  const address = Object.assign(new URL(request.redirectUri), { search: callback.toString() })
  const hasIdToken = typeof answer?.members.id_token === 'string'
  const checks = {
    expectedState: request.state,
    pkceCodeVerifier: request.codeVerifier,
    ...(hasIdToken && request.nonce !== undefined && { expectedNonce: request.nonce }),
    ...(hasIdToken && toMaxAge(settings.parameters?.max_age)),
  }
  return authorizationCodeGrant(configuration, address, checks, toResource(settings))
}

/** RFC 8707, as a parameter of a request. */
export function toResource({ resource }: ProviderConnection['settings']): Record<string, string> {
  return resource === undefined ? {} : { resource }
}

/** The issuer that an ID token names. It is not verified yet. */
export function findTokenIssuer(answer: Pick<OidcAnswer, 'members'> | undefined): string | undefined {
  const { id_token: token } = answer?.members ?? {}
  const issuer = typeof token === 'string' ? parseJwt(token)?.claims.iss : undefined
  return typeof issuer === 'string' && issuer !== '' ? issuer : undefined
}

/** `auth_time` is checked if a limit was asked for (OpenID Connect Core, section 3.1.3.7, rule 13). */
function toMaxAge(text: string | undefined): { maxAge?: number } {
  return text !== undefined && /^\d{1,9}$/.test(text) ? { maxAge: Number(text) } : {}
}

/** In seconds, as openid-client has it. */
const toleranceSec = 30

/**
 * Checks `auth_time` for the grants for which openid-client does not check it.
 * @throws {HelperError} `refused` if the person signed in longer ago than was asked for, or the token does not say when.
 */
export function refuseOldAuthentication(
  { auth_time: signedInAt }: Readonly<Record<string, unknown>>,
  { clockOffsetMs }: Pick<OidcAnswer, 'clockOffsetMs'>,
  { settings, parts }: Pick<ProviderConnection, 'settings' | 'parts'>,
): void {
  const { maxAge } = toMaxAge(settings.parameters?.max_age)
  if (maxAge === undefined) return
  const nowSec = (parts.host.clock.now() + clockOffsetMs) / 1000
  if (typeof signedInAt === 'number' && signedInAt + maxAge >= nowSec - toleranceSec) return
  throw new HelperError(
    'refused',
    `the ID token of ${describeProvider(settings)} does not say that the person signed in within the last ${maxAge} s (auth_time)`,
    'start again, and sign in anew rather than with the session of the browser',
  )
}

function toLostCode(error: unknown): unknown {
  if (!(error instanceof HelperError) || error.kind !== 'unavailable') return error
  return new HelperError(
    'unavailable',
    `${error.message}; the code of the sign-in, which is valid once, is lost with that`,
    newSignInHint,
    { cause: error.cause },
  )
}
