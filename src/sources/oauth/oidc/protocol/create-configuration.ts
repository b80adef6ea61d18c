import {
  allowInsecureRequests,
  type ClientAuth,
  type ClientMetadata,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  clockSkew,
  customFetch,
  type ExportedJWKSCache,
  enableNonRepudiationChecks,
  None,
  type ServerMetadata,
  setJwksCache,
} from 'openid-client'
import { isPlainLoopback } from '../../../../runtime/network/addresses.ts'
import type { Secret } from '../../../../runtime/secret.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { ConnectionParts, ProviderMetadata } from '../provider.ts'

/** The facts about an answer that are known before it is validated. */
export interface Learned {
  /** The provider's clock minus this machine's clock, in seconds, as openid-client takes it. */
  readonly skewSec: number
  /** The issuer that tokens have to name; absent: the metadata's. */
  readonly issuer?: string | undefined
  /** The keys that were fetched earlier; absent: openid-client fetches keys when it needs them. */
  readonly keys?: ExportedJWKSCache | undefined
}

/**
 * Creates openid-client's configuration of a provider and a client, anew for every request and every answer: it is immutable, and what
 * validates an answer is only known when the answer has arrived.
 */
export function createConfiguration(
  connection: Pick<ProviderConnection, 'settings' | 'metadata' | 'secret'>,
  learned: Learned,
  fetch: CustomFetch,
): Configuration {
  const { settings, metadata } = connection
  const issuer = metadata.issuer ?? learned.issuer ?? 'unknown'
  const client: Partial<ClientMetadata> = { [clockSkew]: learned.skewSec }
  const server = { ...metadata, issuer } as ServerMetadata // each member is validated on use
  const configuration = new Configuration(server, settings.clientId, client, createAuthentication(connection))
  configuration[customFetch] = fetch
  configuration.timeout = 0 // each attempt has a limit of its own
  if (learned.keys) setJwksCache(configuration, learned.keys)
  // Only the keys of a provider with metadata are known.
  if (metadata.issuer !== undefined) enableNonRepudiationChecks(configuration)
  // Our own fetch refuses every host but this machine without TLS.
  if (isPlainLoopback(settings.issuer ?? settings.tokenUrl ?? '')) allowInsecureRequests(configuration)
  return configuration
}

/**
 * Chooses how the secret is sent: in the body if the metadata offers that, as Google's libraries do; otherwise in the header, which every
 * server has to accept (RFC 6749, section 2.3.1).
 */
function createAuthentication({
  settings,
  metadata,
  secret,
}: Pick<ProviderConnection, 'settings' | 'metadata' | 'secret'>): ClientAuth {
  if (!secret) return None()
  const methods = metadata.token_endpoint_auth_methods_supported
  const isPostOffered = Array.isArray(methods) && methods.includes('client_secret_post')
  const isPost = settings.clientAuth === undefined ? isPostOffered : settings.clientAuth === 'post'
  return (isPost ? ClientSecretPost : ClientSecretBasic)(secret.reveal())
}

/** The provider, the client's registration and the run, which every request to the provider uses. */
export interface ProviderConnection {
  readonly settings: OidcSettings
  readonly metadata: ProviderMetadata
  /** The secret of a confidential client, read when the connection is made. */
  readonly secret?: Secret | undefined
  readonly parts: ConnectionParts
}
