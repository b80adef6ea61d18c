// Answers the requests of a device during its sign-in; `answer-device-pages.ts` answers the person.

import { grantTypes, metadataPaths } from '../../contract/oauth-names.ts'
import type { Log } from '../../verify/server/log.ts'
import type { Identity, Verdict } from '../../verify/verdict.ts'
import type { Verifier } from '../../verify/verifier/verifier.ts'
import { type DeviceGrants, type DeviceTokens, deviceLimits, renderUserCode } from './device-grants.ts'
import { type DeviceAnswer, toError, toJson } from './device-http.ts'
import { type OrganizationProvider, type OrganizationTokens, ProviderFailure } from './organization-provider.ts'

/** Returns the addresses next to the path of the documents, without its `/bootstrap` or `/user/bootstrap`, as clients expect; pure. */
export function toDeviceAddresses(origin: string, path: string): DeviceAddresses {
  const prefix = path.replace(/(\/user)?\/bootstrap$/, '')
  return {
    origin,
    issuer: `${origin}${prefix}`,
    metadata: `${prefix}${metadataPaths.oauth}`,
    authorization: `${prefix}/device/authorization`,
    token: `${prefix}/device/token`,
    page: `${prefix}/device`,
    callback: `${prefix}/device/callback`,
    confirmation: `${prefix}/device/confirmation`,
  }
}

/** The addresses of device sign-ins. They have the server's origin, as clients require. */
interface DeviceAddresses {
  readonly origin: string
  readonly issuer: string
  readonly metadata: string
  readonly authorization: string
  readonly token: string
  readonly page: string
  readonly callback: string
  readonly confirmation: string
}

/** One step of a device sign-in, for the audit and the metrics. It contains no code and no token. */
export interface DeviceEvent {
  /** `refused`: by the person, the provider or the policy. The person may try again only if the provider refused. */
  readonly outcome: (typeof deviceOutcomes)[number]
  readonly grant: string
  /** The reason of a refusal. */
  readonly reason?: string
  /** The person who has signed in; absent until the policy has accepted one. */
  readonly identity?: Identity
}

/** The outcomes of a device sign-in. */
export const deviceOutcomes = ['started', 'confirmed', 'refused', 'expired'] as const

/** The parts of a server for device sign-ins. */
export interface DeviceAnswerParts {
  readonly addresses: DeviceAddresses
  readonly grants: DeviceGrants
  readonly provider: OrganizationProvider
  readonly verifier: Verifier
  readonly log: Log
  readonly now: () => number
  readonly observe: (event: DeviceEvent) => void
}

/** Creates the authorization server metadata in which a client finds the device endpoints (RFC 8414, section 2). */
export function toServerMetadata({ origin, issuer, authorization, token }: DeviceAddresses): object {
  return {
    issuer,
    token_endpoint: `${origin}${token}`,
    device_authorization_endpoint: `${origin}${authorization}`,
    grant_types_supported: [grantTypes.deviceCode, 'refresh_token'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
  }
}

/** Answers a device authorization request (RFC 8628, section 3.1); 503 if too many sign-ins are pending. */
export function answerGrant({ addresses, grants, observe }: DeviceAnswerParts, form: URLSearchParams): DeviceAnswer {
  const clientId = form.get('client_id') ?? ''
  if (clientId.length > longestClientId) return toError('invalid_client')
  const begun = grants.begin(clientId)
  if (!begun) return toJson(503, { error: 'temporarily_unavailable' }, { 'retry-after': '30' })
  observe({ outcome: 'started', grant: begun.grant.id })
  const userCode = renderUserCode(begun.grant.userCode)
  const page = `${addresses.origin}${addresses.page}`
  return toJson(200, {
    device_code: begun.deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: deviceLimits.grantSec,
    interval: deviceLimits.intervalSec,
  })
}

/** In characters. Our decision. */
const longestClientId = 200

/** Answers a token request: a poll (RFC 8628, section 3.4) or a renewal (RFC 6749, section 6). */
export async function answerToken(parts: DeviceAnswerParts, form: URLSearchParams): Promise<DeviceAnswer> {
  const type = form.get('grant_type')
  if (type === 'refresh_token') return renew(parts, form.get('refresh_token'))
  if (type !== grantTypes.deviceCode) return toError(type === null ? 'invalid_request' : 'unsupported_grant_type')
  const code = form.get('device_code')
  if (code === null) return toError('invalid_request')
  const polled = parts.grants.poll(code, form.get('client_id') ?? '')
  return typeof polled === 'string' ? toError(polled) : toTokenAnswer(polled, parts.now())
}

/** Lets the provider renew the sign-in. This server adds its client authentication, and verifies the new token like any other. */
async function renew(
  { provider, verifier, now }: DeviceAnswerParts,
  refreshToken: string | null,
): Promise<DeviceAnswer> {
  if (refreshToken === null) return toError('invalid_request')
  try {
    const issued = await provider.refresh(refreshToken)
    const tokens = toDeviceTokens(issued, await verifier.verify(issued.token))
    return tokens
      ? toTokenAnswer({ ...tokens, refreshToken: issued.refreshToken ?? refreshToken }, now())
      : toError('invalid_grant')
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    if (error.reason !== 'unavailable') return toError('invalid_grant')
    return toJson(503, { error: 'temporarily_unavailable' }, { 'retry-after': '10' })
  }
}

function toTokenAnswer({ accessToken, refreshToken, expiresAt }: DeviceTokens, now: number): DeviceAnswer {
  return toJson(200, {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor((expiresAt - now) / 1000)),
    refresh_token: refreshToken,
  })
}

/** Returns the tokens for a client; `undefined` if the server would refuse them itself. */
export function toDeviceTokens(
  { token, refreshToken }: OrganizationTokens,
  verdict: Verdict,
): DeviceTokens | undefined {
  if (verdict.outcome === 'refused') return undefined
  return { accessToken: token, refreshToken, expiresAt: verdict.identity.expiresAt }
}
