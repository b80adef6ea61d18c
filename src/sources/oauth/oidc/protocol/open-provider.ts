import { fetchInTime } from '../../../../runtime/network/fetch-in-time.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { OidcProvider, ProviderParts } from '../provider.ts'

/**
 * Loads `connectProvider` and opens a provider: by its discovery document, in one request, if an issuer is set; otherwise by its addresses.
 * @throws {HelperError} `not-configured` for an issuer or an address that cannot be right, `unavailable` if nothing answers.
 */
export async function openProvider(settings: OidcSettings, parts: ProviderParts): Promise<OidcProvider> {
  // Loaded here, because a run without a request does not need the library.
  const { connectProvider } = await import('./connect-provider.ts')
  return connectProvider(settings, { fetch: fetchInTime, ...parts })
}
