// Declares the settings of an identity provider, their names, and the problems that `validate-provider.ts` finds.

import type { RedirectSettings } from './describe-redirect.ts'

/** The settings that a provider's rules apply to: members of the document's `oidc`, and further options of helpers. */
export interface ProviderSettings extends RedirectSettings {
  /** A file with the client's secret, for helpers. */
  readonly clientSecretFile?: string | undefined
  readonly bearerTokenType?: string | undefined
  readonly scopes?: string | undefined
  /** Enabled unless it is `false`. */
  readonly appendOfflineAccess?: boolean | undefined
  readonly resource?: string | undefined
  /** Further parameters of the authorization request; absent if they cannot be set. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  /** Whether a refresh token is kept; enabled unless it is `false`. */
  readonly keepsRefreshToken?: boolean | undefined
  /** Whether the token for the gateway comes from another service, in exchange for the provider's. */
  readonly isExchanged?: boolean | undefined
  /** The life of the last token for the gateway that this machine has seen. */
  readonly tokenLifeSec?: number | undefined
  /** Such as `device`, for helpers. */
  readonly signIn?: string | undefined
}

/** Returns whether the scopes themselves ask for a refresh token (OpenID Connect Core, section 11). */
export function hasOfflineScope({ scopes }: Pick<ProviderSettings, 'scopes'>): boolean {
  return scopes?.split(/\s+/).includes('offline_access') ?? false
}

/** Returns the option of a helper that sets a member of the settings. */
export function toOptionName(setting: keyof ProviderSettings): string {
  if (setting === 'parameters') return 'authorization-parameter'
  return setting === 'keepsRefreshToken' ? 'refresh-token-store' : toKebabCase(setting)
}

/** Spells the name of a member as options are spelled: `envPrefix` as `env-prefix`. */
export function toKebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Renders the name of a setting: `redirectHost` or `--redirect-host`. */
export type NameSetting = (setting: keyof ProviderSettings) => string

/** The codes of problems, each with its severity in a checked document: with an error there is no credential. */
export const providerProblems = {
  'redirect-host-refused': 'error',
  'redirect-host-unlisted': 'warning',
  'redirect-port-unset': 'warning',
  'offline-access-refused': 'error',
  'refresh-token-unasked': 'warning',
  'refresh-token-not-kept': 'warning',
  'offline-access-off': 'warning',
  'resource-refused': 'error',
  'resource-ignored': 'warning',
  'access-token-unverifiable': 'warning',
  'client-secret-needed': 'warning',
  'issuer-inexact': 'error',
  'issuer-of-any-tenant': 'warning',
  'device-grant-missing': 'warning',
} as const

/** A rule of the provider that the settings violate. */
export interface ProviderProblem {
  readonly setting: keyof ProviderSettings
  readonly code: keyof typeof providerProblems
  readonly message: string
  /** In the imperative. */
  readonly hint: string
}

/** A rule of the provider, which finds at most one problem. */
export type FindProblem = (settings: ProviderSettings, name: NameSetting) => ProviderProblem | undefined
