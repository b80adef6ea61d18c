import type { ProviderFamily } from './family.ts'

/** The path of the redirect URI where none is set and the provider compares it. */
export const usualRedirectPath = '/callback'

/**
 * A redirect URI as it is registered: without the port where the provider compares none; `undefined` where nothing is
 * registered.
 */
export function toRegisteredRedirect(
  redirectUri: string,
  { loopback, redirectSetting }: ProviderFamily,
): string | undefined {
  if (redirectSetting === undefined) return undefined
  const url = new URL(redirectUri)
  if (loopback.port === 'any') url.port = ''
  return url.href
}
