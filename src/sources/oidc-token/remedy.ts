import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import type { OidcSettings } from '../oauth/oidc/settings.ts'
import type { OidcTokenOptions } from './settings/options.ts'

/** What makes a sign-in last longer that holds no refresh token, in the imperative. */
export function describeRemedy(
  settings: OidcSettings,
  options: Pick<OidcTokenOptions, 'refresh-token-store' | 'append-offline-access'>,
): string {
  if (options['refresh-token-store'] === 'none')
    return 'it is not renewed, because no refresh token is kept; set refresh-token-store to file or keychain, or sign in again when it has ended'
  return `it is not renewed, because the provider gave no refresh token; ${describeWay(settings, options)}, and sign in again`
}

function describeWay(
  settings: OidcSettings,
  { 'append-offline-access': isAppended }: Pick<OidcTokenOptions, 'append-offline-access'>,
): string {
  const { offlineAccess, parameters = {}, title } = detectProviderFamily(settings)
  const missing = Object.entries(parameters).filter(([name, value]) => settings.parameters?.[name] !== value)
  if (missing.length > 0)
    return `set authorization-parameter to ${missing.map(([name, value]) => `${name}=${value}`).join(' and ')}`
  if (offlineAccess === 'scope' && !isAppended) return 'set append-offline-access to true'
  return `have ${title} give this client refresh tokens`
}
