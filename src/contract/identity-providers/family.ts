/** The families of identity providers whose rules are known. `other`: nothing is known but the standards. */
export type FamilyName =
  | 'entra'
  | 'entra-external'
  | 'okta'
  | 'google'
  | 'keycloak'
  | 'auth0'
  | 'pingfederate'
  | 'pingone'
  | 'adfs'
  | 'cognito'
  | 'salesforce'
  | 'other'

/** What is compared with the registration when the browser is to come back to this machine (RFC 8252, section 7.3). */
export interface LoopbackRule {
  /** The host to use; `either` where the registration decides. */
  readonly host: '127.0.0.1' | 'localhost' | 'either'
  /** Whether the other host cannot be registered at all. */
  readonly isOnlyHost?: true
  /** `any`: a registration without a port allows every port; `registered`: the port is a part of what is compared. */
  readonly port: 'any' | 'registered'
  /** `any`: the path is not compared, so it may be random; `registered`: it is, with upper and lower case. */
  readonly path: 'any' | 'registered'
}

/** A family of identity providers: what differs from one to another in a sign-in from a desktop. */
export interface ProviderFamily {
  readonly name: FamilyName
  /** As messages name it. */
  readonly title: string
  readonly loopback: LoopbackRule
  /** Where redirect URIs are registered, as the end of a hint; absent where nothing is registered. */
  readonly redirectSetting?: string
  /** Whether the token endpoint refuses even a client for desktops without the secret that it was given. */
  readonly asksForSecret?: true
  /** Where a client is made public, as the end of a hint. */
  readonly publicSetting: string
  /**
   * How a refresh token is asked for: `scope`: with `offline_access`; `refused`: the provider ends a sign-in that asks for that
   * scope; `client`: the client's registration decides, and the scope has no effect or is refused.
   */
  readonly offlineAccess: 'scope' | 'refused' | 'client'
  /** More parameters of the authorization request, without which there is no refresh token. */
  readonly parameters?: Readonly<Record<string, string>>
  /**
   * What becomes of a `resource` (RFC 8707): `understood`; `refused`: the sign-in ends with an error; `ignored`: the token is
   * as without it; `unknown`: its documentation does not say.
   */
  readonly resource: 'understood' | 'refused' | 'ignored' | 'unknown'
  /** What names the API instead of `resource`, in words. */
  readonly audience?: string
  /** The token that a gateway can check, and why, in words. */
  readonly gatewayToken: { readonly type: 'id_token' | 'access_token' | 'either'; readonly why: string }
  /** What an error page of its own says that the browser never brings back, as words to look for. */
  readonly browserErrors?: string
  /** Whether a client that signs in with a browser can have the device grant (RFC 8628), too. */
  readonly deviceGrant: boolean
}
