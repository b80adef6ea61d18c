// Folder: the configuration document: its type, the table of fields, values, findings and releases.

import type { AwsEnv } from '../contract/environment.ts'
import type { BearerTokenType } from '../contract/oauth-names.ts'

/** A configuration document as the client would apply it: valid fields only, deprecated spellings already replaced. */
export interface ConfigDocument {
  /** When the client fetches the document again, in epoch milliseconds whatever unit the document used. */
  readonly expiresAt?: number
  readonly inference?: Inference
}

/** The destination of inference requests, and the credential that authorizes them. */
export interface Inference {
  /** `gateway` turns third-party mode on; without it, no other field has an effect. */
  readonly provider?: 'gateway'
  readonly baseUrl?: string
  readonly customHeaders?: Readonly<Record<string, string>>
  readonly streamIdleTimeoutSec?: number
  readonly sessionLifetimeSec?: number
  /** Absent when no source is configured, or when several are configured and no `kind` names one. */
  readonly credential?: Credential
}

/** The kinds of credential, by the source that it comes from. */
export const credentialKinds = ['static', 'interactive', 'external-idp', 'helper-script'] as const
/** The kind of a credential; it decides which other keys count. */
export type CredentialKind = (typeof credentialKinds)[number]

/** The source of the credential that authorizes inference requests. */
export type Credential = StaticCredential | InteractiveCredential | ExternalIdpCredential | HelperScriptCredential

/** The problem of a document, or a command line, that names no source of the credential. */
export const unnamedSource = 'nothing says where the credential comes from'

/** An API key in the document itself. */
export interface StaticCredential {
  readonly kind: 'static'
  readonly apiKey?: string
  readonly authScheme?: AuthScheme
}

/** A credential helper, which the client runs whenever it needs a credential. */
export interface HelperScriptCredential {
  readonly kind: 'helper-script'
  readonly command?: string
  readonly commandWindows?: string
  readonly args?: readonly string[]
  readonly ttlSec?: number
  readonly timeoutSec?: number
  readonly silentRefreshEnabled?: boolean
  /** How the helper's token is sent; observed in clients, not in the specification. */
  readonly authScheme?: AuthScheme
  readonly awsEnv?: AwsEnv
}

/** How a credential is sent: `Authorization: Bearer` (RFC 6750), or the header `x-api-key`. */
export type AuthScheme = 'bearer' | 'x-api-key'
/** The program that shows the sign-in page: the browser, or the identity broker of the operating system. */
type AuthFlow = 'browser' | 'broker'

/** The identity provider of a sign-in (OpenID Connect). */
export interface Oidc {
  readonly clientId?: string
  readonly issuer?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  readonly bearerTokenType?: BearerTokenType
  readonly scopes?: string
  readonly appendOfflineAccess?: boolean
  readonly resource?: string
  readonly redirectPort?: number
  readonly redirectHost?: '127.0.0.1' | 'localhost'
  readonly additionalRedirectReferrerHosts?: string
}

/** Converts a document's `expiresAt` to whole epoch milliseconds. */
export function toExpiryMs(expiresAt: number): number {
  return Math.max(1, Math.round(expiresAt >= firstMilliseconds ? expiresAt : expiresAt * 1000))
}

/** The lowest `expiresAt` that counts as milliseconds; lower values are seconds (the client's documentation). */
const firstMilliseconds = 1e12

/** A sign-in by the client, with the gateway itself or with the identity provider that `oidc` names. */
interface InteractiveCredential {
  readonly kind: 'interactive'
  readonly authFlow?: AuthFlow
  readonly oidc?: Oidc
}

/** A sign-in by the client with an identity provider of the organization. */
interface ExternalIdpCredential {
  readonly kind: 'external-idp'
  readonly authFlow?: AuthFlow
  readonly oidc?: Oidc
}

/** Converts a time in epoch milliseconds to `expiresAt`. */
export function fromExpiryMs(expiresAtMs: number): number {
  return expiresAtMs >= firstMilliseconds ? expiresAtMs : expiresAtMs / 1000
}

/** The settings with which requests can be sent to a gateway. */
export type GatewayInference = Inference & { readonly baseUrl: string }

/**
 * Finds the gateway of a document; `undefined` if it has none. Clients ignore everything under `inference` in a document without
 * `provider`.
 */
export function findGateway({ inference }: ConfigDocument): GatewayInference | undefined {
  if (inference?.provider !== 'gateway' || inference.baseUrl === undefined) return undefined
  return { ...inference, baseUrl: inference.baseUrl }
}

/** Returns how the credential is sent; by default as a bearer token. */
export function toAuthScheme({ credential }: Inference): AuthScheme {
  return credential && 'authScheme' in credential && credential.authScheme ? credential.authScheme : 'bearer'
}
