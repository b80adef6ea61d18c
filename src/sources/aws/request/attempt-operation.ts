import { createNetworkFetch } from '../../../runtime/network/fetch/network-fetch.ts'
import { type Outcome, toOutcome } from '../../../runtime/network/fetch/retry-policy.ts'
import { type RequestTimes, toClockOffset } from '../../clock-offset.ts'
import type { AwsContext, AwsCredentials } from '../credentials/aws-credentials.ts'
import { resolveEndpoint } from '../endpoints/resolve-endpoint.ts'
import { refuseForeignAnswer } from '../sdk/refuse-foreign-answer.ts'
import type { Attempt } from './attempt.ts'
import { parseAwsError } from './aws-error.ts'
import { type AwsOperation, describeApi } from './aws-operation.ts'
import { encodeOperation } from './encode-operation.ts'
import { signOperation } from './sign-operation.ts'

/**
 * Sends one operation to its service in the region of the plan, once.
 * @param signedAheadMs By how much the date of the signature is ahead of this machine's clock.
 * @throws {HelperError} `late`, or `not-configured` for an address that cannot be asked.
 */
export async function attemptOperation(
  operation: AwsOperation,
  credentials: AwsCredentials,
  signedAheadMs: number,
  { host, call, plan }: AwsContext,
): Promise<Attempt> {
  const { api } = operation
  // AWS STS has operations that its global host does not have, and nothing here needs that host.
  const endpoint = resolveEndpoint({ service: api, region: plan.region }, { ...plan.endpoints, sts: 'regional' })
  const encoded = encodeOperation(operation)
  const sentAt = host.clock.now()
  const headers = await signOperation(encoded, { api, endpoint, credentials }, new Date(sentAt + signedAheadMs))
  const init = { method: 'POST', headers, body: encoded.body }
  const outcome = await toOutcome(fetchOnce(endpoint.url, init, describeApi(api, plan), call))
  const times = { sentAt, receivedAt: host.clock.now() }
  return { ...(await parseOutcome(operation, outcome, times)), outcome, signedAheadMs }
}

async function parseOutcome({ api }: AwsOperation, outcome: Outcome, times: RequestTimes) {
  if ('error' in outcome) return { text: '', clockOffsetMs: 0 }
  const { response } = outcome
  const { headers } = response
  const text = await response.text()
  return {
    text,
    refusal: response.ok ? undefined : parseAwsError(api, response, text),
    clockOffsetMs: toClockOffset({ date: headers.get('date'), age: headers.get('age') }, times),
  }
}

/** The longest that one attempt may take, in milliseconds; the deadline of the call bounds all of them together. Our decision. */
const longestAttemptMs = 10_000

async function fetchOnce(
  url: URL,
  init: RequestInit,
  name: string,
  { deadline, network }: AwsContext['call'],
): Promise<Response> {
  const limit = new AbortController()
  const timeout = Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
  const timer = setTimeout(() => limit.abort(timeout), longestAttemptMs)
  let stage = ''
  const report = (next: string) => {
    stage = next
  }
  const send = async ({ signal }: { readonly signal: AbortSignal }) => {
    const bounds = { scope: 'any-host', signal: AbortSignal.any([signal, limit.signal]), report } as const
    const response = await createNetworkFetch({ network, ...bounds })(url.href, init)
    refuseForeignAnswer({ status: response.status, type: response.headers.get('content-type') }, url.host)
    return response
  }
  try {
    return await deadline.during(() => `${name} (${stage})`, send)
  } finally {
    clearTimeout(timer)
  }
}
