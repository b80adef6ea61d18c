import { appendToSpool } from '../../outcomes/spool.ts'
import { createCacheDirectory, locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { type CallRecord, toOutcome } from './call-record.ts'
import { parseOutcomeSettings } from './outcome-settings.ts'

/**
 * Appends a call's outcome to the spool. If the call asked its source, or failed, a process is started that sends the spool.
 * @throws the system's error, or `UnsafeCacheError`.
 */
export async function recordOutcome(ended: EndedCall): Promise<void> {
  const { host, resolved, record } = ended
  const { settings } = parseOutcomeSettings(resolved)
  if (!settings.systemLog && settings.endpoint === undefined) return
  const directory = locateCacheDirectory(host)
  const outcome = toOutcome(record, ended)
  if (outcome.origin === 'cache') return appendToSpool(directory, outcome)
  // Loaded on use, because a call that is served from the cache starts no process.
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

/** In seconds: the longest run of the sending process, which works unseen. */
const longestSec = 10

/** Computes the rest of the call's time, in seconds. A call that failed before its deadline was known gets {@link longestSec}. */
function computeSeconds({ deadline }: CallRecord): number {
  return Math.min(longestSec, (deadline?.remainingMs() ?? Number.POSITIVE_INFINITY) / 1000)
}
