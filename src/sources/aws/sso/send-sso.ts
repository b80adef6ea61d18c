import type { grantTypes } from '../../../contract/oauth-names.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { fetchInTime } from '../../../runtime/network/fetch-in-time.ts'
import {
  againHint,
  findNetworkCode,
  isBusyStatus,
  toBusyFailure,
  toUnreachableFailure,
} from '../../../runtime/network/network-failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { describeUnknownRegion, type EndpointSettings } from '../endpoint-settings.ts'
import { interceptionHint, refuseForeignAnswer, toForeignAnswer } from '../request/foreign-answer.ts'
import { joinPath, resolveEndpoint } from '../resolve-endpoint.ts'
import type { SsoClient, SsoToken } from './stored-token.ts'

/**
 * Exchanges a grant for a new token.
 * @throws as {@link sendOidc} does.
 */
export async function exchangeGrant(
  grant: TokenGrant,
  client: SsoClient,
  parts: OidcParts & { readonly host: Pick<Host, 'clock'> },
): Promise<SsoToken> {
  const revealed = Object.entries(grant).map(([name, value]: [string, string | Secret]) => [
    name,
    value instanceof Secret ? value.reveal() : value,
  ])
  const members = { clientId: client.id, clientSecret: client.secret.reveal(), ...Object.fromEntries(revealed) }
  const { accessToken, expiresIn, refreshToken } = await sendOidc('CreateToken', members, parts)
  if (typeof accessToken !== 'string' || accessToken === '' || typeof expiresIn !== 'number')
    throw new HelperError('unavailable', `${describeService(parts.region)} answered without a token`, interceptionHint)
  return {
    accessToken: new Secret(accessToken),
    expiresAt: parts.host.clock.now() + expiresIn * 1000,
    refreshToken: typeof refreshToken === 'string' ? new Secret(refreshToken) : undefined,
    client,
    region: parts.region,
  }
}

/** The members of a request that exchanges a grant. */
type TokenGrant =
  | { readonly grantType: 'refresh_token'; readonly refreshToken: Secret }
  | { readonly grantType: typeof grantTypes.deviceCode; readonly deviceCode: Secret }
  | {
      readonly grantType: 'authorization_code'
      readonly code: Secret
      readonly codeVerifier: Secret
      readonly redirectUri: string
    }

/** The inputs of a request to the OIDC service of IAM Identity Center. */
export interface OidcParts extends SsoRequestParts {
  readonly endpoints: EndpointSettings
}

/** The operations of the service, by their paths. Botocore's model of `sso-oidc`, 2019-06-10. */
const paths = {
  RegisterClient: 'client/register',
  StartDeviceAuthorization: 'device_authorization',
  CreateToken: 'token',
} as const

/**
 * Sends one operation to the OIDC service of IAM Identity Center.
 * @throws {SsoRefusal} for a refusal; `HelperError` if AWS did not answer in time.
 */
export async function sendOidc(
  operation: keyof typeof paths,
  members: Readonly<Record<string, unknown>>,
  parts: OidcParts,
): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(members) }
  const answer = await sendSso(locateOidc(paths[operation], parts), init, parts)
  return parseOidcAnswer(answer, describeService(parts.region))
}

/** Locates a path of the service, below that of a configured endpoint. */
export function locateOidc(path: string, { endpoints, region }: Pick<OidcParts, 'endpoints' | 'region'>): URL {
  return joinPath(resolveEndpoint({ service: 'sso-oidc', region }, endpoints), path)
}

/** Names both services of IAM Identity Center in messages. */
export function describeService(region: string): string {
  return `AWS SSO in ${region}`
}

/** The inputs of a request to a service of IAM Identity Center. */
interface SsoRequestParts {
  readonly call: Pick<NetworkCall, 'deadline' | 'network'>
  readonly region: string
  /** Set for a sign-in; see `fetchForSignIn`. */
  readonly fetch?: typeof fetchInTime
}

/**
 * Sends one request to a service of IAM Identity Center. Its requests carry their own proof and are not signed, so that no client
 * of the SDK is needed.
 * @throws {HelperError} `late`, or `unavailable` if nothing answered.
 */
export async function sendSso(
  url: URL,
  init: RequestInit,
  { call, region, fetch = fetchInTime }: SsoRequestParts,
): Promise<HttpAnswer> {
  const name = describeService(region)
  try {
    const response = await fetch(call, { name, url: url.href }, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    throw toUnreachable(error, region)
  }
}

/** Names the service instead of its host in the message. A host without an address usually means that AWS does not have the region. */
function toUnreachable(error: unknown, region: string): unknown {
  const code = error instanceof HelperError && error.kind === 'unavailable' ? findNetworkCode(error.cause) : undefined
  if (code === undefined) return error
  const failure = toUnreachableFailure(describeService(region), code, error)
  const unknownRegion = describeUnknownRegion(region)
  if (unknownRegion === undefined) return failure
  const message = `${failure.message}; ${unknownRegion}`
  return new HelperError('unavailable', message, 'correct sso_region beside sso_start_url', { cause: error })
}

/** A refusal of a service of IAM Identity Center. */
export class SsoRefusal extends Error {
  /** From the OIDC service a code of RFC 6749 or RFC 8628, such as `invalid_grant`; from the portal its own, such as `ForbiddenException`. */
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'SsoRefusal'
    this.code = code
  }
}

/** AWS asks for more time between two requests (RFC 8628, section 3.5). */
export class SlowDownError extends HelperError {}

/** An answer of IAM Identity Center, whatever its status. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Parses AWS's answer, a JSON object.
 * @param service For example "AWS SSO in eu-central-1".
 * @throws {SsoRefusal} for a refusal; `HelperError` `unavailable` if AWS is busy ({@link SlowDownError} is one), or if something else
 * answered.
 */
function parseOidcAnswer(answer: HttpAnswer, service: string): Record<string, unknown> {
  refuseOutage(answer, service)
  const { status, text } = answer
  const body = parseObject(text)
  if (status < 300 && body) return body
  const code = findOAuthCode(body)
  if (status >= 400 && code === 'slow_down')
    throw new SlowDownError('unavailable', `${service} is busy (${code}, HTTP ${status})`, againHint)
  if (status >= 400 && code !== undefined) throw new SsoRefusal(code)
  throw toForeignAnswer(service, status)
}

/** Refuses an outage, and an answer that is not AWS's. @throws {HelperError} `unavailable` */
export function refuseOutage({ status, headers }: HttpAnswer, service: string): void {
  if (isBusyStatus(status)) throw toBusyFailure(service, describeStatus(status, headers))
  refuseForeignAnswer({ status, type: headers.get('content-type') }, service)
}

/** Finds the code of an AWS error, without its name space and address; `undefined` if none looks like a code. */
export function findAwsErrorCode(headers: Headers): string | undefined {
  const [name = ''] = (headers.get('x-amzn-errortype') ?? '').split(':')
  return /^\w{1,80}$/.test(name) ? name : undefined
}

/** Finds the error code of RFC 6749; `undefined` if the text does not look like one. */
function findOAuthCode(body: Record<string, unknown> | undefined): string | undefined {
  const code = body?.error
  return typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : undefined
}

function describeStatus(status: number, headers: Headers): string {
  return [findAwsErrorCode(headers), `HTTP ${status}`].filter(Boolean).join(', ')
}
