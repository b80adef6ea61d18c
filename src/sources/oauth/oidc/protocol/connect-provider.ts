import { readSecretFile } from '../../exchange/read-client.ts'
import { fetchMetadata } from '../discovery/fetch-metadata.ts'
import type { OidcProvider } from '../provider.ts'
import type { ConnectionParts } from '../provider-parts.ts'
import type { OidcSettings } from '../settings.ts'
import { exchangeRefreshToken } from './exchange-refresh-token.ts'
import type { ProviderConnection } from './provider-connection.ts'
import { revokeToken } from './revoke-token.ts'

/** A provider and how it is asked. @throws {HelperError} See `openProvider`. */
export async function connectProvider(
  settings: OidcSettings,
  parts: ConnectionParts,
): Promise<OidcProvider & { readonly connection: ProviderConnection }> {
  const { clientSecretFile: file } = settings
  const secret = file === undefined ? undefined : await readSecretFile(file, 'client-secret-file', parts.host)
  const metadata = await fetchMetadata(settings, parts)
  const connection = { settings, metadata, secret, parts }
  return {
    ...{ metadata, connection },
    refresh: (refreshToken, previous) => exchangeRefreshToken(refreshToken, previous, connection),
    revoke: (token, kind) => revokeToken(token, kind, connection),
  }
}
