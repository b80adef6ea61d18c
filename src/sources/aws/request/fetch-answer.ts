import { HelperError } from '../../../runtime/failure.ts'
import { attemptInTime } from '../../../runtime/network/fetch/attempt-in-time.ts'
import { type FetchSettings, openResponse, toResponse } from '../../../runtime/network/fetch/open-response.ts'
import { readBody } from '../../../runtime/network/fetch/read-body.ts'
import { findNetworkCode } from '../../../runtime/network/network-code.ts'
import { refuseForeignAnswer } from '../sdk/refuse-foreign-answer.ts'
import type { RequestContext } from './request-context.ts'

/** The longest that one attempt may take, in milliseconds; the deadline of the call bounds all of them together. Our decision. */
const longestAttemptMs = 10_000

/** One request, as it is sent. */
interface AwsRequest {
  readonly url: URL
  readonly init: RequestInit
}

/**
 * Sends a request to AWS once, and gives its whole answer.
 * @param service As messages name it.
 * @throws {HelperError} `late`; `unavailable` where nothing of AWS answered.
 */
export async function fetchAnswer(
  service: string,
  request: AwsRequest,
  { deadline, network }: RequestContext['call'],
): Promise<Response> {
  try {
    return await attemptInTime(deadline, { name: service, longestMs: longestAttemptMs }, (settings) =>
      fetchOnce(request, { network, scope: 'any-host', ...settings }),
    )
  } catch (cause) {
    throw toUnreachable(service, cause)
  }
}

async function fetchOnce({ url, init }: AwsRequest, settings: FetchSettings): Promise<Response> {
  const message = await openResponse(url, init, settings)
  const { statusCode: status = 0, headers } = message
  try {
    refuseForeignAnswer({ status, type: headers['content-type'] }, url.hostname)
    settings.report(`reading the answer of ${url.host}`)
    return toResponse(url, message, Buffer.from(await readBody(message, url.hostname)))
  } finally {
    message.destroy()
  }
}

/** The service is named rather than its host; what the connection itself explains, such as a proxy, stays as it is. */
function toUnreachable(service: string, cause: unknown): unknown {
  const code = cause instanceof HelperError ? undefined : findNetworkCode(cause)
  if (code === undefined) return cause
  const message = `${service} cannot be reached (${code})`
  return new HelperError('unavailable', message, 'check the network, the VPN and the proxy', { cause })
}
