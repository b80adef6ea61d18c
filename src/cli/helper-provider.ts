import type { ProviderSettings } from '../contract/identity-providers/provider-settings.ts'
import type { ResolvedOptions } from '../helper/options/resolve.ts'
import type { OptionValue } from '../helper/options/value.ts'

/**
 * The identity provider of a helper that signs people in, as its options say it; `undefined` for another helper. The options have
 * the names of the document's `oidc` object.
 */
export function findHelperProvider(options: ResolvedOptions): ProviderSettings | undefined {
  if (!options.has('client-id') || !options.has('bearer-token-type')) return undefined
  const text = (name: string) => options.get(name)?.value?.toString()
  const port = options.get('redirect-port')?.value
  const keepsRefreshToken = text('refresh-token-store') !== 'none'
  return {
    clientId: text('client-id'),
    clientSecretFile: text('client-secret-file'),
    issuer: text('issuer'),
    authorizationUrl: text('authorization-url'),
    tokenUrl: text('token-url'),
    bearerTokenType: text('bearer-token-type'),
    scopes: text('scopes'),
    // A helper that keeps no refresh token asks for none.
    appendOfflineAccess: keepsRefreshToken && options.get('append-offline-access')?.value !== false,
    keepsRefreshToken,
    resource: text('resource'),
    redirectHost: text('redirect-host'),
    redirectPort: typeof port === 'number' ? port : undefined,
    redirectPath: text('redirect-path'),
    parameters: toParameters(options.get('authorization-parameter')?.value),
    signIn: text('sign-in'),
  }
}

/** One text, or several, each `name=value`. */
function toParameters(texts: OptionValue = []): Record<string, string> {
  const all = Array.isArray(texts) ? texts : [String(texts)]
  return Object.fromEntries(
    all.map((text: string) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)] as const),
  )
}
