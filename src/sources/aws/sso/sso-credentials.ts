// Folder: IAM Identity Center: the files shared with the AWS CLI, signing in, renewing, and the role's credentials.

import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { toClockOffset } from '../../clock-offset.ts'
import { interceptionHint } from '../request/foreign-answer.ts'
import { joinPath, resolveEndpoint } from '../resolve-endpoint.ts'
import { requireSsoToken } from './access-token.ts'
import { isPortalHost } from './fetch-portal.ts'
import { describeService, findAwsErrorCode, type HttpAnswer, refuseOutage, SsoRefusal, sendSso } from './send-sso.ts'
import type { SsoParts, SsoSite } from './sso-session.ts'
import { readStoredToken, type SsoToken, toSignInError } from './stored-token.ts'

/**
 * Fetches a role's credentials with a person's sign-in, which is renewed first if that is possible.
 * @throws {HelperError} `sign-in-required` if only a person can continue; otherwise the refusal of AWS or the missing answer.
 */
export async function fetchSsoCredentials(request: SsoRequest): Promise<RoleCredentials> {
  const parts = await prepareSsoParts(request)
  const token = await requireSsoToken(request.site.session, parts)
  try {
    return await fetchRoleCredentials(request.role, token, parts)
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error
    throw toRefusal(error, request)
  }
}

/** The role whose credentials are fetched, and the sign-in for them. */
interface SsoRequest extends Pick<SsoParts, 'host' | 'call'> {
  readonly role: SsoRole & { readonly profile: string }
  readonly site: SsoSite
}

/**
 * Chooses the region of the requests. An organization's own start URL may lead to another region than `sso_region`, and the sign-in has
 * that region.
 */
export async function prepareSsoParts({ site, host, call }: Omit<SsoRequest, 'role'>): Promise<SsoParts> {
  const { session, endpoints, renewalHint } = site
  const isPortal = isPortalHost(URL.parse(session.startUrl)?.hostname ?? '')
  const stored = isPortal
    ? undefined
    : await call.deadline.during('file', 'reading the SSO session', () => readStoredToken(session, host))
  return { host, call, endpoints, region: stored?.region ?? session.region, renewalHint }
}

/**
 * Fetches the credentials of a role from the access portal.
 * @throws {SsoRefusal} for a refusal; `HelperError` if AWS did not answer in time.
 */
async function fetchRoleCredentials(
  { account, role }: SsoRole,
  token: SsoToken,
  { host, call, endpoints, region }: SsoParts,
): Promise<RoleCredentials> {
  const url = joinPath(resolveEndpoint({ service: 'sso', region }, endpoints), 'federation/credentials')
  url.search = String(new URLSearchParams({ role_name: role, account_id: account }))
  const sentAt = host.clock.now()
  const headers = { 'x-amz-sso_bearer_token': token.accessToken.reveal() }
  const answer = await sendSso(url, { headers }, { call, region })
  const times = { sentAt, receivedAt: host.clock.now() }
  const keys = parseRoleCredentials(answer, describeService(region))
  return { ...keys, account, role, clockOffsetMs: toClockOffset(answer.headers, times) }
}

function toRefusal(error: SsoRefusal, { role, site }: SsoRequest): HelperError {
  if (error.code === 'UnauthorizedException')
    return toSignInError(site.session, 'is no longer accepted', site.renewalHint, error)
  return new HelperError(
    'refused',
    `AWS SSO refused the role ${role.role} in account ${role.account} of profile "${role.profile}": ${error.code}`,
    `have that role assigned to you, or correct sso_account_id and sso_role_name in ${site.paths}`,
    { cause: error },
  )
}

/** A role of an account, by the portal's names. */
interface SsoRole {
  readonly account: string
  readonly role: string
}

/** Keys of a role; they live for about an hour. */
interface RoleCredentials extends SsoRole {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret | undefined
  readonly expiration: Date
  /** See `toClockOffset`. */
  readonly clockOffsetMs: number
}

/** Parses the portal's answer. @throws {SsoRefusal} for a refusal; `HelperError` `unavailable` for anything but credentials. */
function parseRoleCredentials(
  answer: HttpAnswer,
  service: string,
): Omit<RoleCredentials, keyof SsoRole | 'clockOffsetMs'> {
  refuseOutage(answer, service)
  const { status, headers, text } = answer
  if (status >= 400) throw new SsoRefusal(findAwsErrorCode(headers) ?? `HTTP ${status}`)
  const keys = parseObject(JSON.stringify(parseObject(text)?.roleCredentials ?? null)) ?? {}
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = keys
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string' || typeof expiration !== 'number')
    throw new HelperError('unavailable', `${service} answered without credentials`, interceptionHint)
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: typeof sessionToken === 'string' ? new Secret(sessionToken) : undefined,
    expiration: new Date(expiration),
  }
}
