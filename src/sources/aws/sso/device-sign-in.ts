import type { setTimeout as sleep } from 'node:timers/promises'
import { grantTypes } from '../../../contract/grant-types.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { SignInTools } from '../../oauth/flow.ts'
import { type DeviceCode, slowDownSec, waitForDevice } from '../../oauth/wait-for-device.ts'
import { interceptionHint } from '../request/foreign-answer.ts'
import { describeService, exchangeGrant, type OidcParts, OidcRefusal, SlowDownError, sendOidc } from './send-sso.ts'
import type { SsoSite } from './sso-session.ts'
import type { SsoClient, SsoToken } from './stored-token.ts'

/**
 * Signs a person in with a code that is confirmed in any browser (RFC 8628). AWS is asked once before anything is shown, because
 * the sign-in may be permitted already.
 * @param pause Waits that many milliseconds.
 * @throws {OidcRefusal} for a refusal, `expired_token` if nobody confirmed the code; `HelperError` for anything else.
 */
export async function runDeviceSignIn(
  client: SsoClient,
  parts: DeviceSignInParts,
  pause?: typeof sleep,
): Promise<SsoToken> {
  const device = await fetchDeviceCode(client, parts)
  const poll = () => attemptPoll(device, client, parts)
  const atOnce = await poll()
  if (typeof atOnce === 'object') return atOnce
  const { address, userCode, expiresAt, intervalSec } = device
  await parts.tools.show({ address, userCode, expiresAt: new Date(expiresAt) })
  const { clock } = parts.host
  const wait = { deadline: parts.call.deadline, clock, expiresAt, poll, ...(pause && { pause }) }
  const token = await waitForDevice({ ...wait, intervalSec: intervalSec + (atOnce === 'slow down' ? slowDownSec : 0) })
  if (token === 'expired') throw new OidcRefusal('expired_token')
  return token
}

async function fetchDeviceCode(client: SsoClient, parts: DeviceSignInParts): Promise<DeviceCode> {
  const members = { clientId: client.id, clientSecret: client.secret.reveal(), startUrl: parts.issuerUrl }
  const { deviceCode, userCode, verificationUriComplete, verificationUri, expiresIn, interval } = await sendOidc(
    'StartDeviceAuthorization',
    members,
    parts,
  )
  const address = verificationUriComplete ?? verificationUri
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof address !== 'string')
    throw new HelperError('unavailable', `${describeService(parts.region)} answered without a code`, interceptionHint)
  return {
    deviceCode: new Secret(deviceCode),
    ...{ userCode, address },
    expiresAt: parts.host.clock.now() + toNumber(expiresIn, 600) * 1000,
    // Without one, RFC 8628 says five seconds.
    intervalSec: Math.max(1, toNumber(interval, 5)),
  }
}

function toNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? value : otherwise
}

/** A network that fails for a while does not end a wait of minutes. */
async function attemptPoll(
  { deviceCode }: DeviceCode,
  client: SsoClient,
  parts: DeviceSignInParts,
): Promise<SsoToken | 'pending' | 'slow down'> {
  const grant = { grantType: grantTypes.deviceCode, deviceCode } as const
  try {
    return await exchangeGrant(grant, client, parts)
  } catch (error) {
    if (error instanceof SlowDownError) return 'slow down'
    if (error instanceof OidcRefusal && error.code === 'authorization_pending') return 'pending'
    if (error instanceof HelperError && error.kind === 'unavailable') return 'pending'
    throw error
  }
}

/** The inputs of one way of signing in. Its region is the portal's. */
export interface DeviceSignInParts extends OidcParts {
  readonly host: Pick<SignInTools['host'], 'home' | 'clock'>
  readonly tools: SignInTools
  readonly site: SsoSite
  /** The portal behind the start URL. */
  readonly issuerUrl: string
}
