import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenEntry } from '../cache/entry.ts'
import type { CachedCall, ServedToken } from './cached-call.ts'
import { fromEntry } from './cached-call.ts'
import { digestCaller, fromMintFailure, toMintFailure } from './failure.ts'
import type { LockHolder } from './lock-note.ts'
import { type MintLock, openMintLock } from './mint-lock.ts'
import { mintToken } from './mint-token.ts'
import { serveLastToken } from './serve-last-token.ts'
import { sweepAfterMint, writeToken } from './write-token.ts'

/** Mints while no other process mints for this key, or serves what another one has minted in the meantime. */
export async function mintUnderLock(cached: CachedCall): Promise<ServedToken> {
  try {
    const served = await serveUnderLock(cached)
    if (served.origin === 'mint') await sweepAfterMint(cached)
    return served
  } catch (error) {
    return serveLastToken(error, cached)
  }
}

async function serveUnderLock(cached: CachedCall): Promise<ServedToken> {
  const { host, call, request, store } = cached
  const opening = `opening the token cache in ${store.location.directory}`
  const lock = await call.deadline.during('cache', opening, () => openMintLock(store, call.deadline))
  try {
    const entry = lock && (await waitForLock(cached, lock))
    if (entry) return fromEntry(entry, 'cache')
    await lock?.noteStart(host.clock.now())
    const served = await mintToken(host, call, cached)
    if (lock) await writeToken(cached, lock, served)
    return served
  } catch (error) {
    const failure = toMintFailure(error, digestCaller(request.caller))
    if (failure) await lock?.noteFailure(failure)
    throw error
  } finally {
    await lock?.release()
  }
}

/**
 * Waits for the lock, or for the entry of a process that held it before.
 * @throws {HelperError} the failure of such a process, if a mint of our own would fail alike.
 */
async function waitForLock(cached: CachedCall, lock: MintLock): Promise<TokenEntry | undefined> {
  const { call, request, findFresh } = cached
  let holder: LockHolder | undefined
  const describe = () =>
    holder === undefined
      ? 'the lock of the token cache'
      : `another run of ${request.program}, at work since ${new Date(holder.since).toISOString()} (process ${holder.pid}),`
  return call.deadline.during('lock', describe, async ({ signal }) => {
    for (let attempts = 1; ; attempts += 1) {
      const state = await lock.tryAcquire()
      // Another process may have minted, or failed to, since we last looked.
      const entry = await findFresh()
      if (entry) return entry
      const found = await lock.findHolder()
      if (found?.failed && isOurFailure(found, cached)) throw fromMintFailure(found.failed)
      if (state !== 'busy') return undefined
      if (found && !found.failed) holder = found
      await sleep(computePauseMs(attempts), undefined, { signal })
    }
  })
}

/**
 * Whether the failed mint of another process tells how our own would end: it began after this run did, with the same arguments
 * and environment. So a source that refuses a hundred runs is asked by the first of them. A start in the future does not count,
 * because the clock was set back.
 */
function isOurFailure({ since, failed }: LockHolder, { host: { clock }, request }: CachedCall): boolean {
  return since > clock.startedAt && since <= clock.now() && failed?.callerFingerprint === digestCaller(request.caller)
}

/** Random, so that many waiters do not retry at once, and longer with time, so that they leave the processor to the holder. */
function computePauseMs(attempts: number): number {
  const longest = Math.min(30 * attempts, 150)
  return 10 + Math.random() * longest
}
