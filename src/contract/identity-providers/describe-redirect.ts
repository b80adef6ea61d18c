import { detectProviderFamily } from './detect-family.ts'
import type { ProviderAddresses } from './detect-family-name.ts'
import { type ProviderFamily, toRegisteredRedirect, usualRedirectPath } from './family.ts'

/** The settings that determine the redirect URI of a sign-in. */
export interface RedirectSettings extends ProviderAddresses {
  readonly clientId?: string | undefined
  readonly redirectHost?: string | undefined
  readonly redirectPort?: number | undefined
  readonly redirectPath?: string | undefined
}

/** Describes the redirect URI to register for these settings, by the provider's family, and where to register it. */
export function describeRedirect(settings: RedirectSettings): RedirectAdvice {
  const family = detectProviderFamily(settings)
  const { redirectPort: port } = settings
  if (family.redirectSetting === undefined)
    return { text: `${family.publicSetting}; it needs no redirect URI: every port of this machine is allowed` }
  const of = settings.clientId === undefined ? '' : `, for the client ${settings.clientId}`
  const setting = `${family.redirectSetting}${of}`
  if (family.loopback.port === 'registered' && port === undefined)
    return { text: `choose a fixed port for the redirect, and register ${toUri(settings, family, 'PORT')} ${setting}` }
  const uri = toRegisteredRedirect(toUri(settings, family, port === undefined ? '' : String(port)), family) ?? ''
  return { uri, text: `register exactly ${uri} ${setting}${describePort(settings, family)}` }
}

/** The redirect URI to register. */
interface RedirectAdvice {
  /** The exact URI; `undefined` if nothing is registered, or if its port is not set yet. */
  readonly uri?: string
  /** The hint, in the imperative. */
  readonly text: string
}

function toUri({ redirectHost, redirectPath }: RedirectSettings, { loopback }: ProviderFamily, port: string): string {
  const host = redirectHost ?? (loopback.host === 'localhost' ? 'localhost' : '127.0.0.1')
  return `http://${host}${port === '' ? '' : `:${port}`}${redirectPath ?? usualRedirectPath}`
}

function describePort({ redirectPort }: RedirectSettings, { name, loopback }: ProviderFamily): string {
  if (loopback.port === 'registered' || redirectPort !== undefined) return ''
  return name === 'other'
    ? '; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it'
    : '; without a port, because every port is allowed'
}

/** Describes what to do about a browser that was opened and never returned: providers show some errors on their own pages. */
export function describeUnfinished(settings: RedirectSettings): string {
  const { title, browserErrors = 'an error' } = detectProviderFamily(settings)
  return `start again, which begins a new one; if ${title} shows ${browserErrors}, tell your administrator: ${describeRedirect(settings).text}`
}
