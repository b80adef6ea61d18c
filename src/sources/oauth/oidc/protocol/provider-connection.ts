import type { Secret } from '../../../../runtime/secret.ts'
import type { ProviderMetadata } from '../provider.ts'
import type { ConnectionParts } from '../provider-parts.ts'
import type { OidcSettings } from '../settings.ts'

/** What every request to a provider is made with. */
export interface ProviderConnection {
  readonly settings: OidcSettings
  readonly metadata: ProviderMetadata
  /** Of a client that is not public, read when the connection is made. */
  readonly secret?: Secret | undefined
  readonly parts: ConnectionParts
}
