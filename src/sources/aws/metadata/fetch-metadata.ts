import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { createNetworkFetch } from '../../../runtime/network/fetch/network-fetch.ts'
import { retry } from '../../../runtime/network/fetch/retry.ts'
import { isPauseInTime } from '../../../runtime/network/fetch/retry-pause.ts'
import { computePauseMs, isTransient, type Outcome, toOutcome } from '../../../runtime/network/fetch/retry-policy.ts'

/** The instance metadata service, as messages call it. */
export const instanceService = 'the instance metadata service'

/** In milliseconds, for one whole answer of a service beside this machine. Our decision: AWS's tools allow a second. */
const limitMs = 2_000

/** One request to the service. */
interface MetadataRequest {
  readonly url: URL
  /** What to do about a refusal, imperative. */
  readonly hint: string
}

/**
 * Sends a request to the instance metadata service and gives the text of its answer. A busy service is asked again; one that
 * cannot be reached does not exist, and is not.
 * @throws {HelperError}
 */
export async function fetchMetadata(
  call: NetworkCall,
  { url, hint }: MetadataRequest,
  init: RequestInit,
): Promise<string> {
  const { deadline } = call
  const outcome = await retry(() => attempt(call, url, init), {
    findPauseMs: (last, count) => {
      const pauseMs = 'response' in last && isTransient(last) ? computePauseMs(last, count) : Infinity
      return isPauseInTime(pauseMs, deadline.longestPauseMs()) ? pauseMs : undefined
    },
    prepare: async (_, pauseMs) => {
      const stage = `${instanceService} (waiting to retry)`
      await deadline.during('network', stage, ({ signal }) => sleep(pauseMs, undefined, { signal }))
      return 'ready'
    },
  })
  return readAnswer(outcome, init, hint)
}

function attempt({ deadline, network }: NetworkCall, url: URL, init: RequestInit): Promise<Outcome> {
  let stage = `connecting to ${url.host}`
  const report = (next: string) => {
    stage = next
  }
  return deadline.during(
    'network',
    () => `${instanceService} (${stage})`,
    ({ signal: late }) => {
      const signal = AbortSignal.any([late, AbortSignal.timeout(limitMs)])
      return toOutcome(createNetworkFetch({ network, scope: 'metadata', signal, report })(url.href, init))
    },
  )
}

async function readAnswer(outcome: Outcome, { method }: RequestInit, hint: string): Promise<string> {
  if ('error' in outcome) throw toFailure(outcome.error, method, hint)
  const { ok, status } = outcome.response
  if (ok) return outcome.response.text()
  const kind = isTransient(outcome) ? 'unavailable' : 'refused'
  throw new HelperError(kind, `${instanceService} answered with HTTP ${status}`, hint)
}

/**
 * The answer to the first request, a `PUT`, crosses one network hop unless the instance allows more, so that a container waits
 * for it in vain. AWS documentation, "Configure the instance metadata options".
 */
function toFailure(error: HelperError, method: string | undefined, hint: string): HelperError {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (code === undefined) return error
  const isSilent = code === 'ABORT_ERR'
  const reason = isSilent ? `no answer within ${limitMs / 1000} s` : code
  const message = `${instanceService} cannot be reached (${reason})`
  const hopHint =
    'in a container, let its answers pass: aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2 --instance-id ID'
  return new HelperError('unavailable', message, isSilent && method === 'PUT' ? hopHint : hint, { cause: error })
}
