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
import { isLoopback } from '../../../../runtime/network/loopback.ts'
import type { ProviderConnection } from './provider-connection.ts'

/** What is known of an answer before it is validated. */
export interface Learned {
  /** The provider's clock less the one of this process, in seconds. */
  readonly skewSec: number
  /** The issuer that tokens have to name, where no metadata says so. */
  readonly issuer?: string | undefined
  /** As they were fetched before; without them, openid-client fetches them where it needs them. */
  readonly keys?: ExportedJWKSCache | undefined
}

/**
 * openid-client's view of a provider and a client. Made anew for every request and every answer, because it cannot be
 * changed, and what an answer is validated with is known when it is there.
 */
export function createConfiguration(
  connection: Pick<ProviderConnection, 'settings' | 'metadata' | 'secret'>,
  learned: Learned,
  fetch: CustomFetch,
): Configuration {
  const { settings, metadata } = connection
  const issuer = metadata.issuer ?? learned.issuer ?? 'unknown'
  const client: Partial<ClientMetadata> = { [clockSkew]: learned.skewSec }
  const server = { ...metadata, issuer } as ServerMetadata // each member is checked on use
  const configuration = new Configuration(server, settings.clientId, client, createAuthentication(connection))
  configuration[customFetch] = fetch
  configuration.timeout = 0 // each attempt has a limit of its own
  if (learned.keys) setJwksCache(configuration, learned.keys)
  // Only the keys of a provider with metadata are known.
  if (metadata.issuer !== undefined) enableNonRepudiationChecks(configuration)
  // Our own fetch refuses every host but this machine without TLS.
  const own = new URL(settings.issuer ?? settings.tokenUrl ?? 'https://unknown')
  if (own.protocol === 'http:' && isLoopback(own.hostname)) allowInsecureRequests(configuration)
  return configuration
}

/**
 * In the body where the metadata offers that, as every library for Google does it; otherwise in the header, which every server has to
 * take (RFC 6749, section 2.3.1).
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
