// Folder: the configuration document: its type, the table of fields, values, findings and releases.

import type { AwsEnv } from '../contract/environment.ts'
import type { AuthScheme } from '../contract/headers.ts'
import type { FieldValues, oidcRows } from './define-field.ts'
import type {
  documentRows,
  externalIdpRows,
  helperScriptRows,
  inferenceRows,
  interactiveRows,
  staticRows,
} from './fields.ts'

/** A configuration document as the client would apply it: valid fields only, deprecated spellings already replaced. */
export interface ConfigDocument extends Omit<FieldValues<typeof documentRows>, '$schemaVersion'> {
  /** When the client fetches the document again, in epoch milliseconds whatever unit the document used. */
  readonly expiresAt?: number
  readonly inference?: Inference
}

/** The destination of inference requests, and the credential that authorizes them. */
export interface Inference extends FieldValues<typeof inferenceRows> {
  /** Absent when no source is configured, or when several are configured and no `kind` names one. */
  readonly credential?: Credential
}

/** The source of the credential that authorizes inference requests. */
export type Credential = StaticCredential | InteractiveCredential | ExternalIdpCredential | HelperScriptCredential

/** The problem of a document, or a command line, that names no source of the credential. */
export const unnamedSource = 'nothing says where the credential comes from'

/** An API key in the document itself. */
export interface StaticCredential extends FieldValues<typeof staticRows> {
  readonly kind: 'static'
}

/** A credential helper, which the client runs whenever it needs a credential. */
export interface HelperScriptCredential extends FieldValues<typeof helperScriptRows> {
  readonly kind: 'helper-script'
  readonly awsEnv?: AwsEnv
}

/** The identity provider of a sign-in (OpenID Connect). */
export type Oidc = FieldValues<typeof oidcRows>

/** Converts a document's `expiresAt` to whole epoch milliseconds. */
export function toExpiryMs(expiresAt: number): number {
  return Math.max(1, Math.round(expiresAt >= firstMilliseconds ? expiresAt : expiresAt * 1000))
}

/** The lowest `expiresAt` that counts as milliseconds; lower values are seconds (the client's documentation). */
const firstMilliseconds = 1e12

/** A sign-in by the client, with the gateway itself or with the identity provider that `oidc` names. */
interface InteractiveCredential extends FieldValues<typeof interactiveRows> {
  readonly kind: 'interactive'
  readonly oidc?: Oidc
}

/** A sign-in by the client with an identity provider of the organization. */
interface ExternalIdpCredential extends FieldValues<typeof externalIdpRows> {
  readonly kind: 'external-idp'
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
