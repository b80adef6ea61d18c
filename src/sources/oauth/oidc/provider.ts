import type { Secret } from '../../../runtime/secret.ts'
import type { IssuedTokens } from './tokens.ts'

/** An OpenID provider, as far as a sign-in goes on without a person. */
export interface OidcProvider {
  readonly metadata: ProviderMetadata
  /**
   * Redeems a refresh token, once. What the answer leaves out stays as it was: the refresh token, the scope.
   * @param previous The tokens before; the new ones have to be the same person's.
   * @throws {InvalidGrantError} where the provider no longer takes it; `HelperError` for anything else.
   */
  refresh(refreshToken: Secret, previous: IssuedTokens): Promise<IssuedTokens>
  /** RFC 7009. `not offered`: the provider has no endpoint for it, so that its tokens live to their end. */
  revoke(token: Secret, kind: 'refresh_token' | 'access_token'): Promise<'revoked' | 'not offered'>
}

/** What is known of a provider, by the names of RFC 8414. Each is checked where it is used. */
export interface ProviderMetadata {
  /** Only with discovery. */
  readonly issuer?: string | undefined
  readonly authorization_endpoint?: string | undefined
  readonly token_endpoint?: string | undefined
  readonly device_authorization_endpoint?: string | undefined
  readonly revocation_endpoint?: string | undefined
  readonly require_pushed_authorization_requests?: boolean | undefined
  readonly id_token_signing_alg_values_supported?: readonly string[] | undefined
  readonly [name: string]: unknown
}
