import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import { computeScope, type OidcSettings } from '../oauth/oidc/oidc-settings.ts'
import type { OidcTokenOptions } from './oidc-token-options.ts'

/** Describes why a sign-in without a refresh token is not renewed, and in the imperative how to change that. */
export function describeRemedy(
  settings: OidcSettings,
  options: Pick<OidcTokenOptions, 'refresh-token-store' | 'append-offline-access'>,
): string {
  const { why, way } = explainEnd(settings, options)
  return `it is not renewed, because ${why}; ${way}`
}

/** Explains the end of a sign-in in two parts: the reason, and the remedy. */
export function explainEnd(
  settings: OidcSettings,
  options: Pick<OidcTokenOptions, 'refresh-token-store' | 'append-offline-access'>,
): { readonly why: string; readonly way: string } {
  if (options['refresh-token-store'] === 'none')
    return {
      why: 'no refresh token is kept',
      way: 'set refresh-token-store to file or keychain, or sign in again when it has ended',
    }
  return { why: 'the sign-in has no refresh token', way: `${describeWay(settings, options)}, and sign in again` }
}

function describeWay(
  settings: OidcSettings,
  { 'append-offline-access': isAppended }: Pick<OidcTokenOptions, 'append-offline-access'>,
): string {
  const { name: family, offlineAccess, parameters = {}, title } = detectProviderFamily(settings)
  const missing = Object.entries(parameters).filter(([name, value]) => settings.parameters?.[name] !== value)
  if (missing.length > 0)
    return `set authorization-parameter to ${missing.map(([name, value]) => `${name}=${value}`).join(' and ')}`
  if (offlineAccess === 'scope' && !isAppended) return 'set append-offline-access to true'
  const { prompt } = settings.parameters ?? {}
  // OpenID Connect Core, section 11: offline_access may be ignored without consent. None of the known providers needs it.
  const isIgnored = family === 'other' && isOfflineAsked(settings) && !prompt?.split(' ').includes('consent')
  if (isIgnored)
    return `set authorization-parameter to prompt=${prompt === undefined ? '' : `${prompt} `}consent, without which many providers ignore offline_access`
  return `have ${title} give this client refresh tokens`
}

function isOfflineAsked(settings: OidcSettings): boolean {
  return computeScope(settings).split(' ').includes('offline_access')
}
