import { HelperError } from '../../../runtime/failure.ts'
import { resolveToken } from './access-token.ts'
import { readStoredToken, toSignInError } from './files/stored-token.ts'
import { isPortalHost } from './portal-hosts.ts'
import { fetchRoleCredentials, PortalRefusal, type RoleCredentials, type SsoRole } from './role-credentials.ts'
import type { SsoParts, SsoSite } from './sso-parts.ts'

/** Whose credentials are wanted, and of which sign-in. */
interface SsoRequest extends Pick<SsoParts, 'host' | 'call'> {
  readonly role: SsoRole & { readonly profile: string }
  readonly site: SsoSite
}

/**
 * Gets a role's credentials with the sign-in of a person, which is renewed first where it can be.
 * @throws {HelperError} `sign-in-required` where only a person can go on; otherwise naming what AWS refused or did not answer.
 */
export async function fetchSsoCredentials(request: SsoRequest): Promise<RoleCredentials> {
  const parts = await toParts(request)
  const token = await resolveToken(request.site.session, parts)
  try {
    return await fetchRoleCredentials(request.role, token, parts)
  } catch (error) {
    if (!(error instanceof PortalRefusal)) throw error
    throw toRefusal(error, request)
  }
}

/** A start URL of the organization's own may lead to another region than `sso_region`; the sign-in says to which. */
async function toParts({ site, host, call }: SsoRequest): Promise<SsoParts> {
  const { session, endpoints, renewalHint } = site
  const isPortal = isPortalHost(URL.parse(session.startUrl)?.hostname ?? '')
  const stored = isPortal
    ? undefined
    : await call.deadline.during('file', 'reading the SSO session', () => readStoredToken(session, host))
  return { host, call, endpoints, region: stored?.region ?? session.region, renewalHint }
}

function toRefusal(error: PortalRefusal, { role, site }: SsoRequest): HelperError {
  if (error.code === 'UnauthorizedException')
    return toSignInError(site.session, 'is no longer accepted', site.renewalHint, error)
  return new HelperError(
    'refused',
    `AWS SSO refused the role ${role.role} in account ${role.account} of profile "${role.profile}": ${error.code}`,
    `have that role assigned to you, or correct sso_account_id and sso_role_name in ${site.place}`,
    { cause: error },
  )
}
