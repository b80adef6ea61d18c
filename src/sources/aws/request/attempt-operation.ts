import { type Outcome, toOutcome } from '../../../runtime/network/fetch/retry-policy.ts'
import { type RequestTimes, toClockOffset } from '../../clock-offset.ts'
import { resolveEndpoint } from '../endpoints/resolve-endpoint.ts'
import type { Attempt } from './attempt.ts'
import { parseAwsError } from './aws-error.ts'
import { type AwsOperation, describeApi } from './aws-operation.ts'
import { encodeOperation } from './encode-operation.ts'
import { fetchAnswer } from './fetch-answer.ts'
import type { RequestContext } from './request-context.ts'
import { signOperation } from './sign-operation.ts'
import type { SigningKeys } from './signing-keys.ts'

/** How a request is signed. */
interface Signing {
  readonly keys: SigningKeys
  /** By how much the date of the signature is ahead of this machine's clock, in milliseconds. */
  readonly aheadMs: number
}

/**
 * Sends one operation to its service in the region of the plan, once.
 * @throws {HelperError} `late`, or `not-configured` for an address that cannot be asked.
 */
export async function attemptOperation(
  operation: AwsOperation,
  signing: Signing | undefined,
  { host, call, plan }: RequestContext,
): Promise<Attempt> {
  const { api } = operation
  const settings = operation.host === 'regional' ? { ...plan.endpoints, sts: 'regional' as const } : plan.endpoints
  const endpoint = resolveEndpoint({ service: api, region: plan.region }, settings)
  const encoded = encodeOperation(operation)
  const sentAt = host.clock.now()
  const sign = ({ keys, aheadMs }: Signing) =>
    signOperation(encoded, { api, endpoint, keys }, new Date(sentAt + aheadMs))
  const headers = signing ? await sign(signing) : encoded.headers
  const init = { method: 'POST', headers, body: encoded.body }
  const outcome = await toOutcome(fetchAnswer(describeApi(api, plan), { url: endpoint.url, init }, call))
  const times = { sentAt, receivedAt: host.clock.now() }
  return { ...(await parseOutcome(operation, outcome, times)), outcome, signedAheadMs: signing?.aheadMs }
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
