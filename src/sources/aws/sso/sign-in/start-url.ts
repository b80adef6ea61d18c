import { HelperError } from '../../../../runtime/failure.ts'
import { fetchInTime } from '../../../../runtime/network/fetch/fetch-in-time.ts'
import type { SsoSession } from '../files/sso-session.ts'
import { findPortalRegion, isPortalHost } from '../portal-hosts.ts'
import type { OidcParts } from '../requests/send-oidc.ts'

/** The portal behind a start URL. */
export interface Portal {
  readonly url: string
  /** Where its sign-ins are. */
  readonly region: string
}

/**
 * The portal of AWS that a start URL is or leads to: an organization may have an address of its own, which redirects. One redirect
 * is looked at and none followed.
 * @param place The files in which the start URL may be corrected.
 * @throws {HelperError} `not-configured` for an address that does not lead to AWS; `unavailable` where it does not answer.
 */
export async function resolvePortal(
  { startUrl, region }: Pick<SsoSession, 'startUrl' | 'region'>,
  place: string,
  call: OidcParts['call'],
): Promise<Portal> {
  const url = URL.parse(startUrl)
  if (url?.protocol !== 'https:') throw toStartUrlError(startUrl, 'is no address with https://', place)
  if (isPortalHost(url.hostname)) return { url: startUrl, region }
  const target = await findRedirect(url, call)
  if (typeof target === 'string') throw toStartUrlError(startUrl, `does not lead to AWS (${target})`, place)
  if (target.protocol !== 'https:' || !isPortalHost(target.hostname))
    throw toStartUrlError(startUrl, `leads to ${target.origin}, which is no access portal of AWS`, place)
  const portal = `${target.origin}${target.pathname.replace(/\/+$/, '')}`
  return { url: portal, region: findPortalRegion(target.hostname) ?? region }
}

const redirects = [301, 302, 303, 307, 308]

/** Where an address redirects to, or what it answered instead, in words. */
async function findRedirect(url: URL, call: OidcParts['call']): Promise<URL | string> {
  const name = `the start URL ${url.origin}`
  const ask = (method: string) => fetchInTime(call, { name, url: url.href }, { method })
  const head = await ask('HEAD')
  // Servers that know no HEAD.
  const { status, headers } = head.status === 405 || head.status === 501 ? await ask('GET') : head
  if (!redirects.includes(status)) return `HTTP ${status}`
  return URL.parse(headers.get('location') ?? '', url.href) ?? `HTTP ${status} without an address`
}

function toStartUrlError(startUrl: string, problem: string, place: string): HelperError {
  return new HelperError(
    'not-configured',
    `the start URL ${startUrl} ${problem}`,
    `correct sso_start_url in ${place}: IAM Identity Center shows it as the AWS access portal URL`,
  )
}
