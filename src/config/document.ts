import type { AwsEnv } from '../contract/environment.ts'

/** A configuration document as the client would apply it: valid fields only, deprecated spellings already replaced. */
export interface ConfigDocument {
  /** When the client fetches the document again, in epoch milliseconds whatever unit the document used. */
  readonly expiresAt?: number
  readonly inference?: Inference
}

export interface Inference {
  /** `gateway` activates third-party mode; absent, nothing else here has an effect. */
  readonly provider?: 'gateway'
  readonly baseUrl?: string
  readonly customHeaders?: Readonly<Record<string, string>>
  readonly streamIdleTimeoutSec?: number
  readonly sessionLifetimeSec?: number
  /** Absent when no source is configured, or when several are and no `kind` chooses one. */
  readonly credential?: Credential
}

export const credentialKinds = ['static', 'interactive', 'external-idp', 'helper-script'] as const
export type CredentialKind = (typeof credentialKinds)[number]

export type Credential = StaticCredential | InteractiveCredential | ExternalIdpCredential | HelperScriptCredential

export interface StaticCredential {
  readonly kind: 'static'
  readonly apiKey?: string
  readonly authScheme?: AuthScheme
}

export interface InteractiveCredential {
  readonly kind: 'interactive'
  readonly authFlow?: AuthFlow
  readonly oidc?: Oidc
}

export interface ExternalIdpCredential {
  readonly kind: 'external-idp'
  readonly authFlow?: AuthFlow
  readonly oidc?: Oidc
}

export interface HelperScriptCredential {
  readonly kind: 'helper-script'
  readonly command?: string
  readonly commandWindows?: string
  readonly args?: readonly string[]
  readonly ttlSec?: number
  readonly timeoutSec?: number
  readonly silentRefreshEnabled?: boolean
  /** How the helper's token is sent. Seen in clients, not in the specification. */
  readonly authScheme?: AuthScheme
  readonly awsEnv?: AwsEnv
}

export type AuthScheme = 'bearer' | 'x-api-key'
export type AuthFlow = 'browser' | 'broker'

export interface Oidc {
  readonly clientId?: string
  readonly issuer?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  readonly bearerTokenType?: 'id_token' | 'access_token'
  readonly scopes?: string
  readonly appendOfflineAccess?: boolean
  readonly resource?: string
  readonly redirectPort?: number
  readonly redirectHost?: '127.0.0.1' | 'localhost'
  readonly additionalRedirectReferrerHosts?: string
}
