import { HelperError } from '../../../../runtime/failure.ts'
import { fetchForSignIn } from '../../../oauth/ways/fetch-for-sign-in.ts'
import type { SsoSession } from '../files/sso-session.ts'
import { findPortalRegion, isPortalHost } from '../portal-hosts.ts'
import type { OidcParts } from '../requests/send-oidc.ts'

/** The portal behind a start URL. */
export interface Portal {
  readonly url: string
  /** Where its sign-ins are. */
  readonly region: string
}

type Address = Pick<SsoSession, 'startUrl' | 'region'>

/**
 * The portal of AWS that a start URL is or leads to: an organization may have an address of its own, which redirects. One redirect
 * is looked at and none followed, as in the AWS CLI.
 * @param place The files in which the start URL may be corrected.
 * @throws {HelperError} `not-configured` for an address that does not lead to AWS; `unavailable` where it does not answer.
 */
export async function resolvePortal(address: Address, place: string, call: OidcParts['call']): Promise<Portal> {
  const { startUrl, region } = address
  const url = URL.parse(startUrl)
  if (url?.protocol !== 'https:') throw toStartUrlError(startUrl, 'is no address with https://', place)
  if (isPortalHost(url.hostname)) return { url: startUrl, region }
  const name = `the start URL ${url.origin}`
  const ask = (method: string) => fetchForSignIn(call, { name, url: url.href }, { method })
  const head = await ask('HEAD')
  // Some servers know no HEAD.
  const { status, headers } = head.status === 405 || head.status === 501 ? await ask('GET') : head
  return toPortal(address, { status, location: headers.get('location') }, place)
}

const redirects = [301, 302, 303, 307, 308]

/** The portal to which the answer of an organization's own address leads. @throws {HelperError} See {@link resolvePortal}. */
export function toPortal(
  { startUrl, region }: Address,
  { status, location }: { readonly status: number; readonly location: string | null },
  place: string,
): Portal {
  const target = redirects.includes(status) && location !== null ? URL.parse(location, startUrl) : null
  if (!target) throw toStartUrlError(startUrl, `does not lead to AWS (HTTP ${status})`, place)
  if (target.protocol !== 'https:' || !isPortalHost(target.hostname))
    throw toStartUrlError(startUrl, `leads to ${target.origin}, which is no access portal of AWS`, place)
  const url = `${target.origin}${target.pathname.replace(/\/+$/, '')}`
  return { url, region: findPortalRegion(target.hostname) ?? region }
}

function toStartUrlError(startUrl: string, problem: string, place: string): HelperError {
  return new HelperError(
    'not-configured',
    `the start URL ${startUrl} ${problem}`,
    `correct sso_start_url in ${place}: IAM Identity Center shows it as the AWS access portal URL`,
  )
}
