import { genericGrantRequest, initiateDeviceAuthorization } from 'openid-client'
import { grantTypes } from '../../../../contract/oauth-names.ts'
import { HelperError } from '../../../../runtime/failure.ts'
import { Secret } from '../../../../runtime/secret.ts'
import type { SignInTools } from '../../flow.ts'
import type { SignInWay } from '../../sign-in-options.ts'
import { type DeviceCode, usualIntervalSec, waitForDevice } from '../../wait-for-device.ts'
import { describeProvider } from '../describe-provider.ts'
import { toScope } from '../oidc-settings.ts'
import type { ProviderConnection } from '../protocol/create-configuration.ts'
import { findTokenIssuer, refuseOldAuthentication, type SignedIn, toResource } from '../protocol/exchange-code.ts'
import { fetchAnswer, fetchKeys } from '../protocol/fetch-answer.ts'
import { findError, refuseErrorAnswer, toRefusal } from '../protocol/refuse-error-answer.ts'
import { type OidcAnswer, type TokenResult, toIssuedTokens } from '../protocol/to-issued-tokens.ts'
import type { ProviderParts } from '../provider.ts'

/**
 * Signs a person in with a code that is confirmed in any browser (RFC 8628).
 * @throws {HelperError} `not-configured` or `sign-in-required` if the provider has no endpoint for that.
 */
export async function runDeviceSignIn(connection: ProviderConnection, parts: DeviceParts): Promise<SignedIn> {
  const { settings, metadata } = connection
  if (metadata.device_authorization_endpoint === undefined)
    throw toDeviceNotOffered(describeProvider(settings), parts.way)
  const keys = await fetchKeys(connection)
  const device = await fetchDeviceCode(connection)
  const { address, userCode, expiresAt, intervalSec } = device
  const { tools } = parts
  await tools.show({ address, userCode, expiresAt: new Date(expiresAt) })
  const poll = () => attemptPoll({ deviceCode: device.deviceCode, keys }, connection)
  const { clock } = tools.host
  const wait = { deadline: tools.call.deadline, clock, intervalSec, expiresAt, poll }
  const signedIn = await waitForDevice(wait)
  if (signedIn !== 'expired') return signedIn
  throw toRefusal({ error: 'expired_token', where: 'token', grant: 'device_code' }, { settings })
}

/** The tools of a sign-in by device, and the way that the person has chosen. */
interface DeviceParts {
  readonly tools: Pick<SignInTools, 'show'> & Pick<ProviderParts, 'call' | 'host'>
  readonly way: SignInWay
}

/** Creates the failure for a provider without device codes, if the person chose that way or no browser can be opened here. */
function toDeviceNotOffered(name: string, way: SignInWay): HelperError {
  if (way === 'device')
    return new HelperError(
      'not-configured',
      `${name} offers no sign-in with a code, which --sign-in device asks for`,
      'set sign-in to auto or browser, and sign in where a browser can open',
    )
  return new HelperError(
    'sign-in-required',
    `no browser can be opened here, and ${name} offers no sign-in with a code`,
    'sign in where a browser can open, or name a program that opens one in the variable BROWSER',
  )
}

async function fetchDeviceCode(connection: ProviderConnection): Promise<DeviceCode> {
  const { settings } = connection
  const parameters = { ...settings.parameters, ...toResource(settings), ...toScope(settings) }
  const { result, answer } = await fetchAnswer(
    {
      isValidOnce: false,
      make: (configuration) => initiateDeviceAuthorization(configuration, parameters),
      refuse: (answer) => refuseErrorAnswer(answer, { where: 'device', settings }),
    },
    connection,
  )
  return {
    deviceCode: new Secret(result.device_code),
    userCode: requireCode(result.user_code, describeProvider(settings)),
    address: result.verification_uri_complete ?? result.verification_uri,
    expiresAt: answer.sentAt + result.expires_in * 1000,
    intervalSec: Math.min(Math.max(1, result.interval ?? usualIntervalSec), longestPauseSec),
  }
}

/** In seconds: the longest interval. A timer with a much longer time would fire at once. Our decision. */
const longestPauseSec = 600

/** Requires a text that looks like a code, because a person reads and enters it (RFC 8628, section 6.1). */
function requireCode(code: string, name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,31}$/u.test(code)) return code
  throw new HelperError(
    'refused',
    `the code that ${name} gave is not one that a person can enter`,
    `report this to whoever runs ${name}`,
  )
}

interface Poll {
  readonly deviceCode: Secret
  readonly keys: Awaited<ReturnType<typeof fetchKeys>>
}

/** Polls once, to see whether the person has confirmed the code. */
async function attemptPoll(request: Poll, connection: ProviderConnection): Promise<SignedIn | 'pending' | 'slow down'> {
  try {
    return await exchangeDeviceCode(request, connection)
  } catch (error) {
    if (error instanceof Pending) return error.state
    if (error instanceof HelperError && error.kind === 'unavailable') return 'pending'
    throw error
  }
}

async function exchangeDeviceCode({ deviceCode, keys }: Poll, connection: ProviderConnection): Promise<SignedIn> {
  const { settings } = connection
  const parameters = { device_code: deviceCode.reveal(), ...toResource(settings) }
  const { result, answer } = await fetchAnswer<TokenResult>(
    {
      isValidOnce: true,
      keys,
      make: (configuration) => genericGrantRequest(configuration, grantTypes.deviceCode, parameters),
      refuse: (answer) => {
        refusePending(answer)
        refuseErrorAnswer(answer, { where: 'token', grant: 'device_code', settings })
      },
      findIssuer: findTokenIssuer,
    },
    connection,
  )
  const claims = result.claims()
  // openid-client checks auth_time only in the other flow.
  if (claims) refuseOldAuthentication(claims, answer, connection)
  return { tokens: toIssuedTokens(result, answer, { settings }), subject: claims?.sub }
}

/** Thrown while the person has not confirmed the code (RFC 8628, section 3.5). */
class Pending extends Error {
  readonly state: 'pending' | 'slow down'

  constructor(state: 'pending' | 'slow down') {
    super(state)
    this.state = state
  }
}

function refusePending(answer: OidcAnswer): void {
  const error = findError(answer)
  if (error === 'authorization_pending') throw new Pending('pending')
  if (error === 'slow_down') throw new Pending('slow down')
}
