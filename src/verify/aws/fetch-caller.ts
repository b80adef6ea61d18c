import { HelperError } from '../../runtime/failure.ts'
import { readBounded } from '../../runtime/network/fetch/bounded-body.ts'
import type { Fetch } from '../../runtime/network/fetch/network-fetch.ts'
import { findNetworkCode } from '../../runtime/network/network-code.ts'
import { TokenRefusal } from '../token-refusal.ts'
import { parseAnswer, type StsAnswer, type StsCaller } from './answer/parse-answer.ts'
import { rejectError } from './answer/reject-error.ts'
import type { CallerProof } from './proof/parse-proof.ts'

/** What AWS STS is given: for the whole request, and for its answer, which has a few hundred bytes. Our decisions. */
const bounds = { sec: 5, bytes: 16 * 1024 }

const hint = 'find out what answers in the place of AWS STS'

/**
 * Sends a proof to AWS STS once, as it was signed, and gives what AWS says of it. A redirect is an answer like any other that is none of
 * AWS STS.
 * @throws {TokenRefusal} `aws-refused` for what AWS STS refuses; `aws-unavailable` where nothing of AWS has answered, or in time.
 */
export async function fetchCaller({ host, request }: CallerProof, fetch: Fetch): Promise<StsCaller> {
  const { url, ...init } = request
  const limit = AbortSignal.timeout(bounds.sec * 1000)
  const exchange = async () => {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: limit })
    const text = (await readBounded(response, host, { ...bounds, hint })).toString('utf8')
    return { status: response.status, type: response.headers.get('content-type'), text }
  }
  const { status, type, text } = await endAt(limit, host, exchange()).catch((error: unknown) => {
    throw toUnavailable(error, host)
  })
  const answer = parseAnswer(text, type)
  if (answer?.kind === 'caller' && status === 200) return answer.caller
  throw rejectAnswer(answer, { status, host })
}

/** The refusal that any answer but a caller amounts to. */
function rejectAnswer(
  answer: StsAnswer | undefined,
  { status, host }: { readonly status: number; readonly host: string },
): TokenRefusal {
  const isOutage = status >= 500 || status === 429 || status === 408
  if (isOutage) return new TokenRefusal('aws-unavailable', { note: `${host} answered HTTP ${status}` })
  if (answer?.kind === 'error' && status >= 400) return rejectError(answer, status)
  const what = status >= 300 && status < 400 ? 'a redirect' : 'something that is no answer of AWS STS'
  return new TokenRefusal('aws-unavailable', { note: `${host} answered HTTP ${status} with ${what}: ${hint}` })
}

/** The signal ends a request that listens to it; this ends the wait for any. */
async function endAt<T>(limit: AbortSignal, host: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = () =>
    reject(
      new HelperError(
        'unavailable',
        `${host} gave no answer within ${bounds.sec} s`,
        'check the network and the proxy',
      ),
    )
  limit.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([promise, work])
  } finally {
    limit.removeEventListener('abort', giveUp)
  }
}

/** A failure of the network, or what it stands on; any other error is a defect and stays one. */
function toUnavailable(error: unknown, host: string): unknown {
  const code = findNetworkCode(error)
  if (error instanceof HelperError) return new TokenRefusal('aws-unavailable', { note: error.message, cause: error })
  if (code === undefined) return error
  return new TokenRefusal('aws-unavailable', { note: `${host} cannot be reached (${code})`, cause: error })
}
