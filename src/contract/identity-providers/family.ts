// Folder: facts about each family of identity providers: how it compares redirect URIs, and which tokens it issues.

import type { BearerTokenType, RedirectHost } from '../oauth-names.ts'
import type { FamilyName } from './detect-family-name.ts'

/** Returns whether a family is Entra ID, for an organization's own people or for customers. */
export function isEntraFamily(name: FamilyName): boolean {
  return name === 'entra' || name === 'entra-external'
}

/** A family of identity providers: how a sign-in from a desktop differs from that of other families. */
export interface ProviderFamily {
  readonly name: FamilyName
  /** The name of the family in messages. */
  readonly title: string
  readonly loopback: LoopbackRule
  /** The place for registering redirect URIs, as the end of a hint; absent if nothing is registered. */
  readonly redirectSetting?: string
  /** Whether the token endpoint requires a client secret even from a desktop client. */
  readonly asksForSecret?: true
  /** The setting that makes a client public, as the end of a hint. */
  readonly publicSetting: string
  /**
   * How a refresh token is asked for: `scope`: with `offline_access`; `refused`: the provider ends a sign-in that asks for that
   * scope; `client`: the client's registration decides, and the scope has no effect or is refused.
   */
  readonly offlineAccess: 'scope' | 'refused' | 'client'
  /** Further parameters of the authorization request that a refresh token requires. */
  readonly parameters?: Readonly<Record<string, string>>
  /**
   * The provider's answer to a `resource` (RFC 8707): `understood`; `refused`: the sign-in ends with an error; `ignored`: the token is
   * as without it; `unknown`: its documentation does not say.
   */
  readonly resource: 'understood' | 'refused' | 'ignored' | 'unknown'
  /** The parameter that names the API instead of `resource`, in words. */
  readonly audience?: string
  /** The token that a gateway can verify, and why, in words. */
  readonly gatewayToken: { readonly type: BearerTokenType | 'either'; readonly why: string }
  /** Why no gateway can verify the access token of these settings; `undefined` if one can, and absent if one always can. */
  readonly findUncheckable?: (settings: AccessTokenSettings) => UncheckableToken | undefined
  /** The default life of tokens in minutes (documentation of the provider); absent if undocumented. */
  readonly tokenLifeMin?: Readonly<Record<BearerTokenType, readonly [shortest: number, longest: number]>>
  /** Texts on the provider's own error pages, from which the browser never returns. */
  readonly browserErrors?: string
  /** Whether a client that signs in with a browser can also use the device grant (RFC 8628). */
  readonly deviceGrant: boolean
}

/** The settings that determine the audience of an access token. */
export interface AccessTokenSettings {
  readonly issuer?: string | undefined
  readonly scopes?: string | undefined
  /** More parameters of the authorization request; absent if there is no way to set them. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/** An access token that only its issuer can read or verify. */
export interface UncheckableToken {
  readonly problem: string
  /** The hint, in the imperative. @param setting How the choice of the token is written, such as `bearerTokenType`. */
  describeRemedy(setting: string): string
}

/** The path of the redirect URI if the provider compares it and none is set. */
export const usualRedirectPath = '/callback'

/** Returns the redirect URI to register: without the port if the provider does not compare it; `undefined` if nothing is registered. */
export function toRegisteredRedirect(
  redirectUri: string,
  { loopback, redirectSetting }: ProviderFamily,
): string | undefined {
  if (redirectSetting === undefined) return undefined
  const url = new URL(redirectUri)
  if (loopback.port === 'any') url.port = ''
  return url.href
}

/** The parts of a loopback redirect URI that are compared with the registration (RFC 8252, section 7.3). */
interface LoopbackRule {
  /** The host to use; `either` if the registration decides. */
  readonly host: RedirectHost | 'either'
  /** Whether the other host cannot be registered at all. */
  readonly isOnlyHost?: true
  /** `any`: a registration without a port allows every port; `registered`: the port is compared too. */
  readonly port: 'any' | 'registered'
  /** `any`: the path is not compared, so it may be random; `registered`: it is, with upper and lower case. */
  readonly path: 'any' | 'registered'
}
