import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'
import { describeProvider } from '../describe-provider.ts'
import type { OidcSettings } from '../settings.ts'
import type { IssuedTokens } from '../tokens.ts'
import type { Answer } from './answer.ts'
import { refuseFaultyIdToken } from './refuse-faulty-id-token.ts'

/** An answer of a token endpoint, after openid-client's checks. */
export type TokenResult = TokenEndpointResponse & TokenEndpointResponseHelpers

/**
 * The tokens of an answer, and when the one that the gateway gets expires by this machine's clock.
 * @param code The one that was redeemed for them.
 * @throws {HelperError} `refused` where that token is missing or faulty, or a gateway could not use it as a bearer token.
 */
export function toIssuedTokens(
  result: TokenResult,
  answer: Answer,
  { settings, code }: { readonly settings: OidcSettings; readonly code?: string | undefined },
): IssuedTokens {
  if (settings.bearerTokenType === 'id_token' && result.id_token === undefined) throw toNoIdToken(settings)
  if (settings.bearerTokenType === 'access_token' && result.token_type !== 'bearer') throw toBound(settings)
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

function toSecret(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text)
}

/** The life of an access token is counted from the request, and so ends too early rather than too late. */
function findExpiry(result: TokenResult, answer: Answer, { bearerTokenType }: OidcSettings): Date | undefined {
  const { expires_in: life } = result
  if (bearerTokenType === 'access_token' && life !== undefined) return toDate(answer.sentAt + life * 1000)
  const claims = bearerTokenType === 'id_token' ? result.claims() : parseJwt(result.access_token)?.claims
  return toDate(Number(claims?.exp) * 1000 - answer.clockOffsetMs)
}

/** `undefined` for a moment that no calendar has. */
function toDate(ms: number): Date | undefined {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function toNoIdToken(settings: OidcSettings): HelperError {
  return new HelperError(
    'refused',
    `${describeProvider(settings)} issued no ID token, which the gateway is to get`,
    'ask who runs the provider, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
  )
}

/** A token that is bound to a key of the client (RFC 9449) is of no use to who sends it as a bearer token. */
function toBound(settings: OidcSettings): HelperError {
  return new HelperError(
    'refused',
    `${describeProvider(settings)} issued an access token that is bound to a key, and no bearer token`,
    'ask who runs the provider to issue bearer tokens to this client',
  )
}
