import type { Secret } from '../../../runtime/secret.ts'

/** A token endpoint, and what its server says of it. */
export interface TokenEndpoint {
  readonly url: URL
  /** The option that names it, for hints. */
  readonly setting: string
  /** `token_endpoint_auth_methods_supported` (RFC 8414, section 2), where metadata was read and has it. */
  readonly authMethods?: readonly string[] | undefined
}

/** A client with its secret at hand. */
export interface GrantClient {
  readonly id: string | undefined
  readonly secret?: Secret | undefined
  readonly authentication?: 'basic' | 'post' | undefined
}

/** A request to a token endpoint that exchanges one token for another (RFC 6749, section 4.5). */
export interface GrantRequest {
  readonly endpoint: TokenEndpoint
  /** In the order in which they are sent, the grant type first; a name may be repeated (RFC 8693, section 2.1). */
  readonly parameters: readonly (readonly [name: string, value: string | Secret])[]
  readonly client: GrantClient
  /** The token that is exchanged, as messages name it. */
  readonly token: string
  /** Whether a person's sign-in gave it, or a server issued it in the step before. */
  readonly origin: 'sign-in' | 'exchange'
  /** Whether sending it twice does no harm. An assertion may be valid for one use (RFC 7523, section 3, jti). */
  readonly isIdempotent: boolean
}
