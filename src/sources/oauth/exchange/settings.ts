/** A token endpoint: its address, or the server whose metadata has the address (RFC 8414). `setting` names the option that says so. */
export type EndpointSetting =
  | { readonly url: string; readonly setting: string }
  | { readonly issuer: string; readonly setting: string }

/** Where the secret of a client is, which no argument may hold. */
export interface SecretLocation {
  readonly kind: 'file' | 'variable'
  readonly name: string
  /** The option that says so. */
  readonly setting: string
}

/** How a client names itself at a token endpoint (RFC 6749, section 2.3). */
export interface ClientSettings {
  /** `undefined` where it does not name itself, which RFC 7521, section 4.1, permits. */
  readonly id: string | undefined
  /** `undefined` for a public client. */
  readonly secret?: SecretLocation | undefined
  /** How the secret is sent; if not set, as the metadata of the server says. */
  readonly authentication?: 'basic' | 'post' | undefined
}

/** What every way of exchanging a person's token has. */
interface SharedSettings {
  /** Which of the person's tokens is exchanged. */
  readonly subject: 'id_token' | 'access_token'
  /** The endpoint that issues the token for the gateway. */
  readonly endpoint: EndpointSetting
  readonly client: ClientSettings
  readonly resources: readonly string[]
  /** As it is set, with spaces between the values. */
  readonly scope?: string | undefined
}

/** More parameters of the request, by name. */
export type MoreParameters = readonly (readonly [name: string, value: string])[]

/** RFC 8693. */
export interface TokenExchangeSettings extends SharedSettings {
  readonly form: 'token-exchange'
  readonly audiences: readonly string[]
  /** A URI; the server chooses where none is set. */
  readonly requestedTokenType?: string | undefined
  readonly parameters: MoreParameters
}

/** RFC 7523, section 2.1, with the person's token as the assertion. */
export interface JwtBearerSettings extends SharedSettings {
  readonly form: 'jwt-bearer'
  readonly parameters: MoreParameters
}

/**
 * The two steps of draft-ietf-oauth-identity-assertion-authz-grant: the person's provider exchanges the ID token for an ID-JAG, and
 * the authorization server of the gateway takes that as an assertion.
 */
export interface IdJagSettings extends SharedSettings {
  readonly form: 'id-jag'
  /** The person's provider, with the client that the person has signed in to. */
  readonly provider: { readonly endpoint: EndpointSetting; readonly client: ClientSettings }
  /** The issuer of the second server, which the ID-JAG must name alone. */
  readonly issuer: string
  /** What the provider calls that server; usually its issuer. */
  readonly audience: string
}

/** How a person's token is exchanged for the one that the gateway gets. */
export type ExchangeSettings = TokenExchangeSettings | JwtBearerSettings | IdJagSettings
