import { HelperError } from '../../../runtime/failure.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { Secret } from '../../../runtime/secret.ts'
import { toClockOffset } from '../../clock-offset.ts'
import { resolveEndpoint } from '../endpoints/resolve-endpoint.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'
import type { SsoToken } from './files/token-file.ts'
import { findErrorCode, type HttpAnswer, refuseOutage } from './requests/oidc-answer.ts'
import { describeService, sendSso } from './requests/send-sso.ts'
import type { SsoParts } from './sso-parts.ts'

/** The portal refused a role, and says why by a code. */
export class PortalRefusal extends Error {
  /** Such as `ForbiddenException`. */
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'PortalRefusal'
    this.code = code
  }
}

/** A role of an account, as the portal names both. */
export interface SsoRole {
  readonly account: string
  readonly role: string
}

/** Keys of a role for about an hour. */
export interface RoleCredentials extends SsoRole {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret | undefined
  readonly expiration: Date
  /** AWS's clock less this machine's, in milliseconds; 0 where they agree. */
  readonly clockOffsetMs: number
}

/**
 * Gets the credentials of a role from the access portal.
 * @throws {PortalRefusal} for a refusal; `HelperError` where nothing of AWS answered in time.
 */
export async function fetchRoleCredentials(
  { account, role }: SsoRole,
  token: SsoToken,
  { host, call, endpoints, region }: SsoParts,
): Promise<RoleCredentials> {
  const { url } = resolveEndpoint({ service: 'sso', region }, endpoints)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/federation/credentials`
  url.search = String(new URLSearchParams({ role_name: role, account_id: account }))
  const sentAt = host.clock.now()
  const headers = { 'x-amz-sso_bearer_token': token.accessToken.reveal() }
  const answer = await sendSso(url, { headers }, { call, region })
  const times = { sentAt, receivedAt: host.clock.now() }
  const [date, age] = [answer.headers.get('date'), answer.headers.get('age')]
  const keys = parseRoleCredentials(answer, describeService(region))
  return { ...keys, account, role, clockOffsetMs: toClockOffset({ date, age }, times) }
}

/** @throws {PortalRefusal} for a refusal; `HelperError` `unavailable` for anything but credentials. */
function parseRoleCredentials(
  answer: HttpAnswer,
  service: string,
): Omit<RoleCredentials, keyof SsoRole | 'clockOffsetMs'> {
  refuseOutage(answer, service)
  const { status, headers, text } = answer
  if (status >= 400) throw new PortalRefusal(findErrorCode(headers) ?? `HTTP ${status}`)
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
