import { readCacheFile } from '../../runtime/private/read-cache-file.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/directory.ts'
import { computeRenewalTimes } from '../cache/freshness.ts'
import { readEntry } from '../cache/read-entry.ts'
import { type EntryOutline, parseEntryOutline } from '../cache/sealed-entry.ts'
import type { TokenRequest } from '../mint/cached-call.ts'

/**
 * From when on a kept token is renewed, in words; `undefined` where it is not kept, or no later call is served it.
 * @throws the system's error, or `UnsafeCacheError`.
 */
export async function describeRenewal(
  location: EntryLocation,
  { cache, clientTtlSec, renewEarly }: Pick<TokenRequest, 'cache' | 'clientTtlSec' | 'renewEarly'>,
): Promise<string | undefined> {
  const entry = cache === 'none' ? undefined : await readOutline(location, cache)
  if (!entry) return undefined
  const { servableUntil, renewedFrom } = computeRenewalTimes(entry, { clientTtlSec, renewEarly })
  if (servableUntil <= entry.minted) return undefined
  const date = new Date(renewedFrom).toISOString()
  return `renewed from ${date} on, ${describeEarliness(servableUntil - renewedFrom)}`
}

function describeEarliness(ms: number): string {
  if (ms === 0) return 'as late as can be'
  const minutes = Math.round(ms / 60_000)
  return `${minutes < 1 ? `${Math.round(ms / 1000)} s` : `${minutes} min`} early on this machine`
}

/** A sealed entry tells its times without its key. */
async function readOutline(location: EntryLocation, cache: 'disk' | 'keychain'): Promise<EntryOutline | undefined> {
  if (cache === 'disk') return readEntry(location)
  return parseEntryOutline(await readCacheFile(toCacheFilePath(location, 'sealed')))
}
