import type { ProviderMetadata } from '../provider.ts'
import type { ConnectionParts } from '../provider-parts.ts'
import type { OidcSettings } from '../settings.ts'

/** What every request to a provider is made with. */
export interface ProviderConnection {
  readonly settings: OidcSettings
  readonly metadata: ProviderMetadata
  readonly parts: ConnectionParts
}
