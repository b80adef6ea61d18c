import { appendToSpool } from '../../outcomes/spool.ts'
import { createCacheDirectory, locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { type CallRecord, toOutcome } from './call-record.ts'
import { parseOutcomeSettings } from './outcome-settings.ts'

/**
 * Appends the outcome of a call to the spool. Where the call asked its source, or failed, a process is started that sends the spool.
 * @throws the system's error, or `UnsafeCacheError`.
 */
export async function recordOutcome(ended: EndedCall): Promise<void> {
  const { host, resolved, record } = ended
  const { settings } = parseOutcomeSettings(resolved)
  if (!settings.systemLog && settings.endpoint === undefined) return
  const directory = locateCacheDirectory(host)
  const outcome = toOutcome(record, ended)
  if (outcome.origin === 'cache') return appendToSpool(directory, outcome)
  // Loaded here, because a call that is served from the cache starts none.
  const { startSender } = await import('./start-sender.ts')
  await appendToSpool(await createCacheDirectory(directory), outcome)
  const seconds = computeSeconds(record)
  // A late call has no time left.
  if (outcome.outcome !== 'late' && seconds >= 1) await startSender({ host, resolved, settings, directory, seconds })
}

interface EndedCall {
  readonly program: string
  readonly host: Host
  readonly status: number
  readonly resolved: ResolvedOptions
  readonly record: CallRecord
}

/** In seconds, how long a process that nobody sees may work for a call. */
const longestSec = 10

/** The rest of the call's time, in seconds. A call that failed before its time was known gets the longest. */
function computeSeconds({ deadline }: CallRecord): number {
  return Math.min(longestSec, (deadline?.remainingMs() ?? Number.POSITIVE_INFINITY) / 1000)
}
