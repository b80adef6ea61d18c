import { fetchInTime } from '../../../../runtime/network/fetch-in-time.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { OidcProvider, ProviderParts } from '../provider.ts'

/**
 * Loads `connectProvider` and opens a provider: with its discovery document, which takes one request, if an issuer is set; otherwise with
 * the configured addresses.
 * @throws {HelperError} `not-configured` for an issuer or an address that cannot be right, `unavailable` if nothing answers.
 */
export async function openProvider(settings: OidcSettings, parts: ProviderParts): Promise<OidcProvider> {
  // Loaded on use, because a run without a request does not need the library.
  const { connectProvider } = await import('./connect-provider.ts')
  return connectProvider(settings, { fetch: fetchInTime, ...parts })
}
