import type { Host } from '../../runtime/host.ts'
import type { CallOutcome } from '../../runtime/outcome/call-outcome.ts'
import { appendToSpool } from '../../runtime/outcome/spool.ts'
import { createCacheDirectory } from '../../runtime/private/create-cache.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import type { CallRecord } from '../record/call-record.ts'
import { toOutcome } from '../record/to-outcome.ts'
import { parseOutcomeSettings } from './outcome-settings.ts'
import { startSender } from './start-sender.ts'

/** A call that has ended. */
interface EndedCall {
  readonly program: string
  readonly host: Host
  readonly status: number
  readonly resolved: ResolvedOptions
  readonly record: CallRecord
}

/**
 * Appends the outcome of a call to the spool. Where the call asked its source, or failed, a process is started that sends the spool.
 * @throws the system's error, or `UnsafeCacheError`.
 */
export async function recordOutcome(ended: EndedCall): Promise<void> {
  const { host, resolved, record } = ended
  const { settings } = parseOutcomeSettings(resolved)
  if (!settings.systemLog && settings.endpoint === undefined) return
  const directory = await createCacheDirectory(locateCacheDirectory(host))
  const outcome = toOutcome(record, ended)
  await appendToSpool(directory, outcome)
  const seconds = computeSeconds(record)
  if (isSenderStarted(outcome) && seconds >= 1) await startSender({ host, resolved, settings, directory, seconds })
}

/** A cached call pays for nothing but its line, and a late one has no time left. */
function isSenderStarted({ origin, outcome }: CallOutcome): boolean {
  return origin !== 'cache' && outcome !== 'late'
}

/** In seconds, how long a process that nobody sees may work for a call. */
const longestSec = 10

/** What is left of the call's time. A call that failed before its time was known has the longest. */
function computeSeconds({ deadline }: CallRecord): number {
  return Math.min(longestSec, (deadline?.remainingMs() ?? Number.POSITIVE_INFINITY) / 1000)
}
