import { createHash } from 'node:crypto'
import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'
import { toDate } from '../../../../runtime/values/duration.ts'
import { intruderHint } from '../../flow.ts'
import { describeProvider } from '../describe-provider.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { IssuedTokens } from '../provider.ts'

/** An answer of a token endpoint that openid-client has validated. */
export type TokenResult = TokenEndpointResponse & TokenEndpointResponseHelpers

/**
 * Returns the tokens of an answer, with the expiry of the gateway's token by this machine's clock.
 * @param code The code that was exchanged for them.
 * @throws {HelperError} `refused` if the gateway's token is missing or faulty, or cannot be used as a bearer token.
 */
export function toIssuedTokens(
  result: TokenResult,
  answer: OidcAnswer,
  { settings, code }: { readonly settings: OidcSettings; readonly code?: string | undefined },
): IssuedTokens {
  if (settings.bearerTokenType === 'id_token' && result.id_token === undefined) throw toNoIdToken(settings)
  if (settings.bearerTokenType === 'access_token' && result.token_type !== 'bearer') throw toBound(settings)
  if (settings.bearerTokenType === 'access_token' && result.expires_in === 0) throw toEndedAlready(settings)
  const { id_token: idToken, access_token: accessToken } = result
  if (idToken !== undefined) refuseFaultyIdToken(idToken, { accessToken, code }, describeProvider(settings))
  return {
    idToken: toSecret(idToken),
    accessToken: new Secret(accessToken),
    refreshToken: toSecret(result.refresh_token),
    expiresAt: findExpiry(result, answer, settings),
    ...(answer.clockOffsetMs !== 0 && { clockOffsetMs: answer.clockOffsetMs }),
    scope: result.scope,
  }
}

function toNoIdToken(settings: OidcSettings): HelperError {
  return new HelperError(
    'refused',
    `${describeProvider(settings)} issued no ID token, which the gateway needs`,
    'report this to whoever runs the provider, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
  )
}

/** Creates the failure for a token that is bound to a key of the client (RFC 9449), and so is not a bearer token. */
function toBound(settings: OidcSettings): HelperError {
  return new HelperError(
    'refused',
    `${describeProvider(settings)} issued an access token that is bound to a key, not a bearer token`,
    'ask whoever runs the provider to issue bearer tokens to this client',
  )
}

/** Creates the failure for a token whose `expires_in`, its life from the answer on (RFC 6749, section 5.1), is not above zero. */
function toEndedAlready(settings: OidcSettings): HelperError {
  const name = describeProvider(settings)
  return new HelperError(
    'refused',
    `${name} issued an access token that expires at once (expires_in is 0)`,
    `ask whoever runs ${name} to issue access tokens that live for some minutes`,
  )
}

/** An answer of the provider whose body was read to its end. */
export interface OidcAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The members of its JSON object; empty for anything else. */
  readonly members: Readonly<Record<string, unknown>>
  /** When the request was sent, by this machine's clock. */
  readonly sentAt: number
  /** The offset of the provider's clock; see `toClockOffset`. */
  readonly clockOffsetMs: number
  /** The secrets that were sent, which must not be repeated from the answer. */
  readonly secrets: readonly string[]
}

/** The access token and the code to which an ID token may be bound. */
interface BoundTokens {
  readonly accessToken: string
  /** Set if a code was redeemed. */
  readonly code?: string | undefined
}

/**
 * Refuses two problems that openid-client does not detect: an empty `sub`, and an ID token that was issued with another access token or
 * code (`at_hash`, `c_hash`; OpenID Connect Core 1.0, sections 3.1.3.6 and 3.3.2.11, which make them optional in this flow).
 * @throws {HelperError} `refused`
 */
function refuseFaultyIdToken(idToken: string, { accessToken, code }: BoundTokens, name: string): void {
  const jwt = parseJwt(idToken)
  if (!jwt) throw toFailure(name, 'is not a JWT')
  const { header, claims } = jwt
  if (claims.sub === '') throw toFailure(name, 'names nobody (sub)')
  if (!isHashOf(claims.at_hash, accessToken, header.alg))
    throw toFailure(name, 'was issued with another access token (at_hash)')
  if (code !== undefined && !isHashOf(claims.c_hash, code, header.alg))
    throw toFailure(name, 'was issued for another code (c_hash)')
}

function toSecret(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text)
}

/**
 * Finds the expiry of the gateway's token. The life of an access token is counted from the request, so that its expiry is too early rather
 * than too late.
 */
function findExpiry(result: TokenResult, answer: OidcAnswer, { bearerTokenType }: OidcSettings): Date | undefined {
  const { expires_in: lifeSec } = result
  if (bearerTokenType === 'access_token' && lifeSec !== undefined) return toDate(answer.sentAt + lifeSec * 1000)
  const claims = bearerTokenType === 'id_token' ? result.claims() : parseJwt(result.access_token)?.claims
  return toDate(Number(claims?.exp) * 1000 - answer.clockOffsetMs)
}

function toFailure(name: string, problem: string): HelperError {
  return new HelperError('refused', `the ID token of ${name} ${problem}`, intruderHint)
}

/**
 * Returns whether a hash claim matches a token or code: the left half of the digest of the ID token's algorithm. An absent hash matches,
 * and so does one whose algorithm is not known.
 */
function isHashOf(stated: unknown, text: string, algorithm: unknown): boolean {
  const bits = /^(?:RS|PS|ES)(256|384|512)$/.exec(String(algorithm))?.[1]
  if (stated === undefined || bits === undefined) return true
  const digest = createHash(`sha${bits}`).update(text).digest()
  return stated === digest.subarray(0, digest.length / 2).toString('base64url')
}
