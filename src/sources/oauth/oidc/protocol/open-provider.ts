import { fetchInTime } from '../../../../runtime/network/fetch/fetch-in-time.ts'
import type { OidcProvider } from '../provider.ts'
import type { ProviderParts } from '../provider-parts.ts'
import type { OidcSettings } from '../settings.ts'

/**
 * Finds a provider: with an issuer by its discovery document, which is one request, otherwise by the addresses that are set.
 * @throws {HelperError} `not-configured` for an issuer or an address that cannot be right, `unavailable` where nothing answers.
 */
export async function openProvider(settings: OidcSettings, parts: ProviderParts): Promise<OidcProvider> {
  // Loaded here: a run that needs no request does without the library.
  const { connectProvider } = await import('./connect-provider.ts')
  return connectProvider(settings, { fetch: fetchInTime, ...parts })
}
