import { isPromptAllowed } from '../../contract/context.ts'
import { computeEarliestExpiry, computeEarlyPauseMs, earlyRenewal, isTooSoon } from '../../contract/freshness.ts'
import { nameCacheStep, toCacheFilePath } from '../cache/cache-files.ts'
import type { TokenEntry } from '../cache/entry.ts'
import { type CachedCall, createCachedCall, fromEntry, type ServedToken } from '../cache/store.ts'
import type { Call, MintedToken } from '../define-helper.ts'
import { openMintLock, readNote } from './mint-lock.ts'
import { mintToken, serveLastToken, sweepAfterMint, writeToken } from './mint-under-lock.ts'

/**
 * Renews a token before it has to be, unless another process does; `undefined` if the renewal failed or was not tried. It asks nobody and
 * waits for no other process, and its failures appear only in the log.
 */
export async function renewEarly(own: CachedCall): Promise<ServedToken | undefined> {
  const { host, call, request, store, findDue } = own
  const warnings: string[] = []
  const quiet = { ...call, warn: (message: string) => warnings.push(message) }
  const cached = createCachedCall(host, quiet, request, store.silence())
  const kept = findDue()!
  try {
    const served = await renewUnderLock(cached, kept)
    if (served?.origin === 'mint') await sweepAfterMint(cached)
    if (served) for (const warning of warnings) call.warn(warning)
    return served
  } catch (error) {
    request.noteUnrenewed(error)
    // A step may have used up the time of the whole call. The call then cannot mint in the usual way any more.
    return call.deadline.isOver() && !findDue() ? serveLastToken(error, own) : undefined
  }
}

async function renewUnderLock(cached: CachedCall, kept: TokenEntry): Promise<ServedToken | undefined> {
  const { host, call, request, store } = cached
  const brief = call.deadline.withAtMost(earlyRenewal.longestSec).shorten(earlyRenewal.patienceSec)
  const waitForCache = <T>(work: () => Promise<T>) =>
    brief.during('cache', nameCacheStep('reading', store.location), work)
  const hasTried = () => waitForCache(() => hasTriedRecently(cached, kept))
  // Checked before the lock, because opening the lock takes longer than the rest of a call that renews nothing.
  if (await hasTried()) return undefined
  const opening = nameCacheStep('opening', store.location)
  const lock = await brief.during('cache', opening, () => openMintLock(store, call.deadline))
  try {
    if ((await lock?.tryAcquire()) !== 'acquired') return undefined
    // Another process may have renewed the token meanwhile, or failed to.
    const entry = await waitForCache(cached.findFresh)
    if (entry) return fromEntry(entry, 'cache')
    if ((await hasTried()) || !(await lock!.noteRenewal(host.clock.now()))) return undefined
    const served = await mintToken(host, toSilentCall(call, brief, kept), { request, store }).catch(async (error) => {
      if (brief.askedPauseMs > 0) await lock!.noteRenewal(host.clock.now(), brief.askedPauseMs)
      throw error
    })
    if (!isLater(served, kept)) return undefined
    await writeToken(cached, lock!, served)
    return served
  } finally {
    await lock?.release()
  }
}

/**
 * Returns whether a renewal was tried a short time ago. A killed or failed run has left its note. If no note can be written, nothing is
 * tried, because every call would try again.
 */
async function hasTriedRecently({ host, store }: CachedCall, { earlyFraction }: TokenEntry): Promise<boolean> {
  const holder = await readNote(toCacheFilePath(store.location, 'note'))
  const pauseMs = computeEarlyPauseMs(earlyFraction ?? 0, holder?.askedPauseMs)
  return holder !== undefined && isTooSoon(holder.since, host.clock.now(), pauseMs)
}

/** Returns a call that never asks a person, because an early renewal can fail without harm. */
function toSilentCall(call: Call, deadline: Call['deadline'], kept: TokenEntry): Call {
  const context = isPromptAllowed(call.context) ? 'background' : call.context
  return { ...call, context, deadline, renews: computeEarliestExpiry(kept) }
}

/** Returns whether a token expires later than the cached one. A source may return the same token again, or one that expires no later. */
function isLater({ expiresAt, clockOffsetMs = 0 }: MintedToken, kept: TokenEntry): boolean {
  if (!expiresAt) return false
  return computeEarliestExpiry({ expiresAt: expiresAt.getTime(), clockOffsetMs }) > computeEarliestExpiry(kept)
}
