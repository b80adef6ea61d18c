// Folder: one mint at a time, under a lock; the record of used assertions; and the failures that waiting runs share.

import { setTimeout as sleep } from 'node:timers/promises'
import { computeEarliestExpiry, isLastTokenServed, marginMs } from '../../contract/freshness.ts'
import { perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { digestToken } from '../../runtime/digest.ts'
import { describeWaiting } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { computePauseMs } from '../../runtime/files/file-lock.ts'
import { type Host, observeMachineName } from '../../runtime/host.ts'
import { digestCaller } from '../../runtime/program/digest-caller.ts'
import { settledAfterMs } from '../../runtime/program/file-state.ts'
import { nameCacheStep } from '../cache/cache-files.ts'
import { computeEntryFraction, type TokenEntry, toEntry, type WatchedState } from '../cache/entry.ts'
import { type CachedCall, fromEntry, type ServedToken, type TokenRequest, type TokenStore } from '../cache/store.ts'
import { sweepCache } from '../cache/sweep.ts'
import type { Call, MintedToken, UsedAssertions } from '../define-helper.ts'
import { fromMintFailure, type LockHolder, type MintLock, openMintLock, toMintFailure } from './mint-lock.ts'

/** Mints while no other process mints for this key, or serves the token that another process has minted meanwhile. */
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
  const opening = nameCacheStep('opening', store.location)
  const lock = await call.deadline.during('cache', opening, () => openMintLock(store, call.deadline))
  try {
    const entry = lock && (await waitForLock(cached, lock))
    if (entry) return fromEntry(entry, 'cache')
    await lock?.noteStart(host.clock.now())
    await removeRefusedToken(cached)
    const served = await mintToken(host, toRenewingCall(cached), cached)
    if (lock) await writeToken(cached, lock, served)
    return served
  } catch (error) {
    await removeRefusedToken(cached)
    const failure = toMintFailure(error, digestCaller(request.caller))
    if (failure) await lock?.noteFailure(failure)
    throw error
  } finally {
    await lock?.release()
  }
}

/**
 * Waits for the lock, or for an entry that a previous holder writes.
 * @throws {HelperError} the failure of a previous holder, if a mint of this run would fail alike.
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
      // Another process may have minted, or failed to mint, since the last look.
      const entry = await findFresh()
      if (entry) return entry
      const found = await lock.findHolder()
      if (found?.failed && isOurFailure(found, cached)) throw fromMintFailure(found.failed)
      if (state !== 'busy') return undefined
      if (found && !found.failed) holder = found
      await sleep(computePauseMs(attempts, Math.random()), undefined, { signal })
    }
  })
}

/** Removes the refused token from the cache, whether or not another one is minted. */
async function removeRefusedToken({ host, store, isRefused }: CachedCall): Promise<void> {
  if (isRefused) await (await import('../cache/read-refusal.ts')).removeRefused(store.location, isRefused, host)
}

/** Tells a source that stores tokens itself to give another token than the suspected one. */
function toRenewingCall({ call, findSuspected }: CachedCall): Call {
  const suspected = findSuspected()
  return suspected ? { ...call, renews: computeEarliestExpiry(suspected) } : call
}

/**
 * Returns whether this run's mint would fail like that of another process, because that mint began after this run did, with the same
 * arguments and settings. A source that refuses a hundred waiting runs is then asked only by the first of them. A start in the future does
 * not count, because the clock was set back.
 */
function isOurFailure({ since, failed }: LockHolder, { host: { clock }, request }: CachedCall): boolean {
  return since > clock.startedAt && since <= clock.now() && failed?.callerFingerprint === digestCaller(request.caller)
}

/** Writes the entry. An error becomes a warning, because a cache that cannot be used must not cost the credential. */
export async function writeToken(
  { host, call, request, store }: CachedCall,
  lock: MintLock,
  served: ServedToken,
): Promise<void> {
  const { clock } = host
  const now = clock.now()
  const earlyFraction = computeEntryFraction(observeMachineName(), store.location, now)
  const times = { now, bootedAt: clock.bootedAt, earlyFraction }
  const write = async () => {
    const parts = {
      digest: digestToken(served.token),
      context: call.context,
      ...times,
      ...(await collectWatched(served, { request, store })),
      uses: request.uses,
    }
    const entry = toEntry(served, parts)
    if (entry) await lock.write(entry)
  }
  await call.deadline
    .during('cache', nameCacheStep('writing', store.location), write)
    .catch(({ message }: Error) => call.warn(`${message}; the token is not stored`))
}

/**
 * Chooses the state of the watched files to store with an entry. If they changed during the mint, either the program itself wrote them, or
 * somebody has chosen another account and the token may be the old account's. The state before the mint is then stored, so that the next
 * call mints once more. If the second mint in a row changes the files too, the program is known to write them in each run.
 */
async function collectWatched(
  { watched }: ServedToken,
  { request, store }: Pick<CachedCall, 'request' | 'store'>,
): Promise<Pick<TokenEntry, 'watched'>> {
  // An empty digest equals no later state, so the next call mints again.
  if (!watched) return request.watched ? { watched: { content: '', isRewritten: false } } : {}
  const { before, after } = watched
  if (before.content === after.content) return { watched: after }
  const earlier = await store.silence().read()
  return { watched: { ...(earlier?.watched?.isRewritten ? after : before), isRewritten: true } }
}

/** Sweeps the cache after the lock has been released, so that no other process waits for it. */
export async function sweepAfterMint({ host, call, store }: CachedCall): Promise<void> {
  await call.deadline
    .during('cache', nameCacheStep('sweeping', store.location), () =>
      sweepCache(store.location.directory, host.clock.now()),
    )
    .catch(() => undefined) // the token is served anyway, and the next mint sweeps what is left
}

/** Serves the cached token while the source is unreachable. A refusal by the source always fails the call. */
export function serveLastToken(error: unknown, { call, findUnexpired, findSuspected }: CachedCall): ServedToken {
  // A suspected token may be good, so it is served even if its source cannot give another one.
  const isDoubted = findSuspected() !== undefined
  const isServed = error instanceof HelperError && (isDoubted || isLastTokenServed(call.context, error.kind))
  const last = isServed ? findUnexpired() : undefined
  if (!last) throw error
  const until = new Date(computeEarliestExpiry(last)).toISOString()
  call.warn(`${(error as Error).message}; serving the last token, which is good until ${until}`)
  return fromEntry(last, 'kept')
}

/** Mints a token, and warns if the client would keep it beyond its expiry. */
export async function mintToken(
  host: Pick<Host, 'clock'>,
  call: Call,
  { request, store }: { request: TokenRequest; store: TokenStore },
): Promise<ServedToken> {
  const before = await readWatched(host, request, call)
  const minted = await request.mint(toUsedAssertions(store, call.deadline), call)
  tellShortLife(minted, host.clock.now(), request, call)
  const after = before === undefined || !minted.expiresAt ? undefined : await readWatched(host, request, call)
  return {
    ...minted,
    origin: 'mint',
    ...(before !== undefined && after !== undefined && { watched: { before, after } }),
  }
}

/**
 * Reads the present state of the watched files; `undefined` if there are none, or if they cannot be read, which must not cost the token.
 */
async function readWatched(
  { clock }: Pick<Host, 'clock'>,
  { cache, watched }: TokenRequest,
  { deadline }: Call,
): Promise<WatchedState | undefined> {
  if (!watched || cache === 'none') return undefined
  const settledBefore = clock.now() - settledAfterMs
  const read = async () => {
    const { state, changedAt, readContent } = await watched.look()
    return { content: await readContent(), isRewritten: false, ...(changedAt <= settledBefore && { state }) }
  }
  return deadline
    .during('configuration', () => `reading the watched files${describeWaiting()}`, read)
    .catch(() => undefined)
}

/** Loads the record of used assertions on use, because most sources accept the same request twice. */
function toUsedAssertions(store: TokenStore, deadline: Deadline): UsedAssertions {
  return {
    use: async (assertion, work) => {
      const { createUsedAssertions } = await import('./used-assertions.ts')
      return createUsedAssertions(store, deadline).use(assertion, work)
    },
  }
}

function tellShortLife(token: MintedToken, now: number, request: TokenRequest, call: Call): void {
  if (!token.expiresAt || request.isEndTold) return
  const lifeSec = Math.floor((token.expiresAt.getTime() - now) / 1000)
  const { clientTtlSec, longestTtlSec = Number.POSITIVE_INFINITY } = request
  if (lifeSec + marginSec >= clientTtlSec && clientTtlSec <= longestTtlSec) return
  const advice = describeAdvice(token, lifeSec > longestTtlSec ? longestTtlSec : lifeSec - marginSec)
  const keeps = clientTtlSec > lifeSec ? 'but the client keeps it' : 'and the client keeps it almost as long,'
  call.warn(`the token lives ${lifeSec} s, ${keeps} for ${clientTtlSec} s: ${advice}`)
}

const marginSec = marginMs / 1000

/**
 * Advises a `ttlSec` that suits the token's life, but never one that `config check` would warn about. For so short a life it advises a
 * longer life.
 */
function describeAdvice({ shortenedBy, remedy }: MintedToken, ttlSec: number): string {
  if (remedy !== undefined) return remedy
  if (ttlSec > perTurnCheckAboveTtlSec) return `set ttlSec in the client's document, and client-ttl here, to ${ttlSec}`
  const least = perTurnCheckAboveTtlSec + marginSec
  const way =
    shortenedBy === undefined ? 'have its source issue tokens that live longer than' : `raise ${shortenedBy} above`
  return `${way} ${least} s, because under a ttlSec of ${perTurnCheckAboveTtlSec} or less a client does not ask before each turn`
}
