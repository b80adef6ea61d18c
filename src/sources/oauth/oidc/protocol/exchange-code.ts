import { authorizationCodeGrant, type Configuration } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'
import type { IssuedTokens } from '../tokens.ts'
import type { Answer } from './answer.ts'
import { fetchAnswer } from './fetch-answer.ts'
import { fetchKeys } from './fetch-keys.ts'
import type { ProviderConnection } from './provider-connection.ts'
import { refuseRefusal } from './refuse-refusal.ts'
import { type TokenResult, toIssuedTokens } from './to-issued-tokens.ts'

/** What a sign-in was begun with, by which its answer is checked. */
export interface CodeRequest {
  readonly redirectUri: string
  readonly state: string
  /** Only where an ID token is asked for: some providers refuse it otherwise. */
  readonly nonce: string | undefined
  readonly codeVerifier: string
}

/** Who has signed in, and with which tokens. */
export interface SignedIn {
  readonly tokens: IssuedTokens
  /** `sub` of the ID token, where there is one. */
  readonly subject: string | undefined
}

/**
 * Redeems what the browser brought back for tokens, once: a code that was sent is never sent again, whatever became of it.
 * @throws {HelperError} `unavailable` where the answer was lost, and with it the code.
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
        make: (configuration, answer) => redeem(configuration, { callback, request, connection, answer }),
        refuse: (answer) => refuseRefusal(answer, { where: 'token', grant, settings, redirectUri }),
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
  readonly answer: Answer | undefined
}

function redeem(configuration: Configuration, redeemed: Redeemed): Promise<TokenResult> {
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

/** The issuer that an ID token names, not checked yet. */
export function findTokenIssuer(answer: Pick<Answer, 'members'> | undefined): string | undefined {
  const { id_token: token } = answer?.members ?? {}
  const issuer = typeof token === 'string' ? parseJwt(token)?.claims.iss : undefined
  return typeof issuer === 'string' && issuer !== '' ? issuer : undefined
}

/** An `auth_time` is checked where a limit was asked for (OpenID Connect Core, section 3.1.3.7, rule 13). */
function toMaxAge(text: string | undefined): { maxAge?: number } {
  return text !== undefined && /^\d{1,9}$/.test(text) ? { maxAge: Number(text) } : {}
}

function toLostCode(error: unknown): unknown {
  if (!(error instanceof HelperError) || error.kind !== 'unavailable') return error
  return new HelperError(
    'unavailable',
    `${error.message}; the code of the sign-in, which is valid once, is lost with that`,
    'start again, which begins a new sign-in',
    { cause: error.cause },
  )
}
