import type { NetworkCall } from '../../../../helper/define-helper.ts'
import { HelperError } from '../../../../runtime/failure.ts'
import { fetchInTime } from '../../../../runtime/network/fetch/fetch-in-time.ts'
import { findNetworkCode } from '../../../../runtime/network/network-code.ts'
import { describeUnknownRegion } from '../../regions/describe-unknown-region.ts'
import type { HttpAnswer } from './oidc-answer.ts'

/** Both services of IAM Identity Center in a region, as messages name them. */
export function describeService(region: string): string {
  return `AWS SSO in ${region}`
}

/** What a request to a service of IAM Identity Center needs. */
export interface SsoRequestParts {
  readonly call: Pick<NetworkCall, 'deadline' | 'network'>
  readonly region: string
  /** A sign-in has its own, because its deadline is that of a person. */
  readonly fetch?: typeof fetchInTime
}

/**
 * Sends one request to a service of IAM Identity Center. Its requests carry their own proof and are not signed, so that no client
 * of the SDK is needed.
 * @throws {HelperError} `late`, or `unavailable` where nothing answered.
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

/** The service and not its host is named; a region that AWS does not have is the likeliest reason for a host without address. */
function toUnreachable(error: unknown, region: string): unknown {
  const code = error instanceof HelperError && error.kind === 'unavailable' ? findNetworkCode(error.cause) : undefined
  if (code === undefined) return error
  const unknownRegion = describeUnknownRegion(region)
  const message = `${describeService(region)} cannot be reached (${code})`
  const options = { cause: error }
  return unknownRegion === undefined
    ? new HelperError('unavailable', message, 'check the network, the VPN and the proxy', options)
    : new HelperError('unavailable', `${message}; ${unknownRegion}`, 'correct sso_region beside sso_start_url', options)
}
