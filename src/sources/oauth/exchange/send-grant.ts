import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import { fetchInTime } from '../../../runtime/network/fetch/fetch-in-time.ts'
import { describeSkew, toClockOffset } from '../../clock-offset.ts'
import { describeRefusal } from './describe-refusal.ts'
import { encodeGrantRequest } from './encode-request.ts'
import type { GrantRequest } from './grant-request.ts'
import { type ExpectedToken, type GrantedToken, parseGrantAnswer } from './parse-answer.ts'

/** What a request to a token endpoint needs of its run. */
export interface GrantParts {
  readonly host: Pick<Host, 'clock'>
  readonly call: NetworkCall
}

/** An issued token, with what the exchange showed about this machine's clock. */
export interface Granted extends GrantedToken {
  /** When the last attempt cannot have been answered yet: epoch milliseconds by this machine's clock. */
  readonly sentAt: number
  /** The server's clock less this machine's, in milliseconds; 0 where they agree, or the answer has no date. */
  readonly clockOffsetMs: number
}

/**
 * Sends a request to a token endpoint.
 * @throws {GrantRefusal} where the server refuses; `HelperError` `unavailable` or `late` where no usable answer comes.
 */
export async function sendGrant(
  request: GrantRequest,
  expected: Omit<ExpectedToken, 'host'>,
  { host: { clock }, call }: GrantParts,
): Promise<Granted> {
  const { url } = request.endpoint
  const target = {
    name: `the token exchange at ${url.host}`,
    url: url.href,
    isIdempotent: request.isIdempotent,
  }
  let sentAt = clock.now()
  const response = await fetchInTime(call, target, () => {
    sentAt = clock.now()
    return { method: 'POST', ...encodeGrantRequest(request) }
  })
  const { headers, status, ok } = response
  const times = { sentAt, receivedAt: clock.now() }
  const clockOffsetMs = toClockOffset({ date: headers.get('date'), age: headers.get('age') }, times)
  const text = await response.text()
  const skew = describeSkew(clockOffsetMs, `that of ${url.host}`)
  if (!ok) throw describeRefusal({ status, text, skew }, request)
  const granted = parseGrantAnswer(text, { ...expected, host: url.host })
  if (skew !== undefined) call.warn(`${skew}; set the clock of this machine`)
  return { ...granted, sentAt, clockOffsetMs }
}
