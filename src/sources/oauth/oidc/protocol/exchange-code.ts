import { authorizationCodeGrant, type Configuration } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'
import { newSignInHint } from '../../flow.ts'
import { describeProvider } from '../describe-provider.ts'
import type { IssuedTokens } from '../provider.ts'
import type { ProviderConnection } from './create-configuration.ts'
import { fetchAnswer, fetchKeys } from './fetch-answer.ts'
import { refuseErrorAnswer } from './refuse-error-answer.ts'
import { type OidcAnswer, type TokenResult, toIssuedTokens } from './to-issued-tokens.ts'

/** The values with which a sign-in began, for validating its answer. */
export interface CodeRequest {
  readonly redirectUri: string
  readonly state: string
  /** Set only if an ID token is requested, because some providers refuse it otherwise. */
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
 * Exchanges the code in the redirect for tokens. A code is never sent twice.
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
        // The `iss` in the redirect (RFC 9207) has to be the issuer of the ID token.
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
    ...(hasIdToken && parseMaxAge(settings.parameters?.max_age)),
  }
  return authorizationCodeGrant(configuration, address, checks, toResource(settings))
}

/** Renders the resource indicator as a request parameter (RFC 8707). */
export function toResource({ resource }: ProviderConnection['settings']): Record<string, string> {
  return resource === undefined ? {} : { resource }
}

/** Finds the issuer in an unverified ID token. */
export function findTokenIssuer(answer: Pick<OidcAnswer, 'members'> | undefined): string | undefined {
  const { id_token: token } = answer?.members ?? {}
  const issuer = typeof token === 'string' ? parseJwt(token)?.claims.iss : undefined
  return typeof issuer === 'string' && issuer !== '' ? issuer : undefined
}

/** Parses the requested limit. `auth_time` is validated only if there is one (OpenID Connect Core, section 3.1.3.7, rule 13). */
function parseMaxAge(text: string | undefined): { maxAge?: number } {
  return text !== undefined && /^\d{1,9}$/.test(text) ? { maxAge: Number(text) } : {}
}

/** In seconds: the tolerance for clocks, as in openid-client. */
const toleranceSec = 30

/**
 * Validates `auth_time` for the grants for which openid-client does not.
 * @throws {HelperError} `refused` if the person signed in longer ago than was requested, or if the token has no `auth_time`.
 */
export function refuseOldAuthentication(
  { auth_time: signedInAt }: Readonly<Record<string, unknown>>,
  { clockOffsetMs }: Pick<OidcAnswer, 'clockOffsetMs'>,
  { settings, parts }: Pick<ProviderConnection, 'settings' | 'parts'>,
): void {
  const { maxAge } = parseMaxAge(settings.parameters?.max_age)
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
