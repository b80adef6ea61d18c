import { HelperError } from '../../../runtime/failure.ts'
import { normalizeHost } from '../../../runtime/network/addresses.ts'
import { fetchForSignIn } from '../../oauth/fetch-for-sign-in.ts'
import type { OidcParts } from './send-sso.ts'
import type { SsoSession } from './sso-session.ts'

/**
 * Fetches the AWS portal that a start URL names or leads to: an organization may have an address of its own, which redirects. The target of
 * one redirect is read, and no redirect is followed, as in the AWS CLI.
 * @param paths The files with the start URL, for hints.
 * @throws {HelperError} `not-configured` for an address that does not lead to AWS; `unavailable` if it does not answer.
 */
export async function fetchPortal(address: PortalAddress, paths: string, call: OidcParts['call']): Promise<Portal> {
  const { startUrl, region } = address
  const url = URL.parse(startUrl)
  if (url?.protocol !== 'https:') throw toStartUrlError(startUrl, 'is not an https address', paths)
  if (isPortalHost(url.hostname)) return { url: startUrl, region }
  const name = `the start URL ${url.origin}`
  const ask = (method: string) => fetchForSignIn(call, { name, url: url.href }, { method })
  const head = await ask('HEAD')
  // Some servers do not support HEAD.
  const { status, headers } = head.status === 405 || head.status === 501 ? await ask('GET') : head
  return toPortal(address, { status, location: headers.get('location') }, paths)
}

/** The portal behind a start URL. */
interface Portal {
  readonly url: string
  /** The region of its sign-ins. */
  readonly region: string
}

type PortalAddress = Pick<SsoSession, 'startUrl' | 'region'>

const redirects = [301, 302, 303, 307, 308]

/** Parses the portal from the answer of an organization's own address. @throws {HelperError} See {@link fetchPortal}. */
function toPortal(
  { startUrl, region }: PortalAddress,
  { status, location }: { readonly status: number; readonly location: string | null },
  paths: string,
): Portal {
  const target = redirects.includes(status) && location !== null ? URL.parse(location, startUrl) : null
  if (!target) throw toStartUrlError(startUrl, `does not lead to AWS (HTTP ${status})`, paths)
  if (target.protocol !== 'https:' || !isPortalHost(target.hostname))
    throw toStartUrlError(startUrl, `leads to ${target.origin}, which is not an access portal of AWS`, paths)
  const url = `${target.origin}${target.pathname.replace(/\/+$/, '')}`
  return { url, region: findPortalRegion(target.hostname) ?? region }
}

function toStartUrlError(startUrl: string, problem: string, paths: string): HelperError {
  return new HelperError(
    'not-configured',
    `the start URL ${startUrl} ${problem}`,
    `correct sso_start_url in ${paths}: IAM Identity Center shows it as the AWS access portal URL`,
  )
}

export function isPortalHost(host: string): boolean {
  const name = normalizeHost(host)
  return portalHosts.includes(name) || portalSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

/** Finds the region in the host of a portal; `undefined` if it has none. */
function findPortalRegion(host: string): string | undefined {
  const name = normalizeHost(host)
  return regionPatterns.map((pattern) => pattern.exec(name)?.groups?.region).find((region) => region !== undefined)
}

/** The hosts of AWS's access portals, and the endings of the other portals' hosts. Source: AWS CLI 2.36, `sso/resolve.py`. */
const portalHosts = [
  'identitycenter.amazonaws.com',
  'identitycenter.amazonaws.com.cn',
  'identitycenter.amazonaws.eu',
  'identitycenter.us-gov.amazonaws.com',
]
const portalSuffixes = [
  'app.aws',
  'portal.amazonaws.com',
  'portal.amazonaws.com.cn',
  'app.amazonwebservices.com.cn',
  'portal.amazonaws.eu',
  'api.amazonwebservices.eu',
  'awsapps.com',
  'awsapps.cn',
]

/** Portals with the region as the second or third label of the host. */
const regionPatterns = [
  /^[^.]+\.portal\.(?<region>[a-z0-9-]+)\.(app\.aws|app\.amazonwebservices\.com\.cn|api\.amazonwebservices\.eu)$/,
  /^[^.]+\.(?<region>[a-z0-9-]+)\.portal\.(amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu)$/,
]
