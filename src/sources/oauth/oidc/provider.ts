// Folder: an OpenID provider: its settings, its metadata, and the person in its tokens.

import { computeEarliestExpiry } from '../../../contract/freshness.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { fetchInTime } from '../../../runtime/network/fetch-in-time.ts'
import type { Secret } from '../../../runtime/secret.ts'

/** The requests to an OpenID provider that need no person: renewing a sign-in, and ending it. */
export interface OidcProvider {
  readonly metadata: ProviderMetadata
  /**
   * Redeems a refresh token, once. If the answer lacks a refresh token or a scope, the previous one stays.
   * @param previous The previous tokens; the new ones have to be the same person's.
   * @param keep Stores the refresh token that is valid from now on, before the rest of the answer is validated, because the token that was
   * sent may be used up. It is not called if the answer names another person, client or issuer, or if its refresh token cannot be read.
   * @throws {InvalidGrantError} if the provider no longer accepts it; `HelperError` for anything else.
   */
  refresh(refreshToken: Secret, previous: IssuedTokens, keep: KeepSuccessor): Promise<IssuedTokens>
  /** Revokes a token (RFC 7009). `not offered`: the provider has no endpoint for it, so its tokens stay valid until they expire. */
  revoke(token: Secret, kind: 'refresh_token' | 'access_token'): Promise<'revoked' | 'not offered'>
}

/** Stores the refresh token that is valid from now on. */
export type KeepSuccessor = (refreshToken: Secret) => Promise<void>

/** The metadata of a provider, with the names of RFC 8414. Each member is checked where it is used. */
export interface ProviderMetadata {
  /** Absent if the endpoints are configured, and not discovered. */
  readonly issuer?: string | undefined
  readonly authorization_endpoint?: string | undefined
  readonly token_endpoint?: string | undefined
  readonly device_authorization_endpoint?: string | undefined
  readonly revocation_endpoint?: string | undefined
  readonly require_pushed_authorization_requests?: boolean | undefined
  readonly [name: string]: unknown
}

/** The tokens that an endpoint has issued to a person, after every check that the protocol requires. */
export interface IssuedTokens {
  readonly idToken?: Secret | undefined
  readonly accessToken?: Secret | undefined
  readonly refreshToken?: Secret | undefined
  /** When the gateway's token expires, by this machine's clock; `undefined` if that is not known. */
  readonly expiresAt?: Date | undefined
  /** The offset of the provider's clock (see `toClockOffset`) when the tokens were issued; absent if it was 0. */
  readonly clockOffsetMs?: number | undefined
  /** The granted scope; absent if it is the requested one. */
  readonly scope?: string | undefined
}

/**
 * Computes when the gateway's token expires by the earlier of both clocks, in milliseconds since the epoch; `Infinity` if no expiry is
 * known.
 */
export function computeTokenExpiry({ expiresAt, clockOffsetMs = 0 }: IssuedTokens): number {
  return expiresAt ? computeEarliestExpiry({ expiresAt: expiresAt.getTime(), clockOffsetMs }) : Number.POSITIVE_INFINITY
}

/** The parts of a run that requests to a provider use. */
export interface ProviderParts {
  readonly host: Pick<Host, 'clock' | 'home'>
  readonly call: Pick<NetworkCall, 'deadline' | 'network'>
  /** Set for a sign-in; see `fetchForSignIn`. */
  readonly fetch?: typeof fetchInTime
}

/** The parts of a connection, with the `fetch` that it uses. */
export interface ConnectionParts extends ProviderParts {
  readonly fetch: typeof fetchInTime
}
