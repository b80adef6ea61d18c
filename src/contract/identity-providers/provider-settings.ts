import type { RedirectSettings } from './describe-redirect.ts'

/** What is compared with the rules of a provider: members of the document's `oidc`, and what helpers take beyond them. */
export interface ProviderSettings extends RedirectSettings {
  /** A file with the client's secret, for helpers. */
  readonly clientSecretFile?: string | undefined
  readonly bearerTokenType?: string | undefined
  readonly scopes?: string | undefined
  /** On unless it is `false`. */
  readonly appendOfflineAccess?: boolean | undefined
  readonly resource?: string | undefined
  /** More parameters of the authorization request; absent where there is no way to set them. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  /** Whether a refresh token is kept at all; taken for granted unless it is `false`. */
  readonly keepsRefreshToken?: boolean | undefined
  /** Such as `device`, for helpers. */
  readonly signIn?: string | undefined
}

/** The members of settings that a problem can concern. */
export type SettingName = keyof ProviderSettings

/** How a setting is written where it stands: `redirectHost` or `--redirect-host`. */
export type NameSetting = (setting: SettingName) => string

/** A rule of the provider that settings break. The code is one of the checker's, which gives it its severity. */
export interface ProviderProblem {
  readonly setting: SettingName
  readonly code:
    | 'redirect-host-refused'
    | 'redirect-host-unlisted'
    | 'redirect-port-unset'
    | 'offline-access-refused'
    | 'refresh-token-unasked'
    | 'resource-refused'
    | 'resource-ignored'
    | 'access-token-unverifiable'
    | 'client-secret-needed'
    | 'issuer-inexact'
    | 'issuer-of-any-tenant'
    | 'device-grant-missing'
  readonly message: string
  /** In the imperative. */
  readonly hint: string
}

/** What a rule of the provider finds. */
export type FindProblem = (settings: ProviderSettings, name: NameSetting) => ProviderProblem | undefined
