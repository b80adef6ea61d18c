import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../../runtime/failure.ts'
import { computeEarliestExpiry, type TokenEntry, toEntry } from '../cache/entry.ts'
import { sweepCache } from '../cache/sweep.ts'
import type { CachedCall, Served } from './cached-call.ts'
import { fromEntry } from './cached-call.ts'
import { digestCaller, fromMintFailure, toMintFailure } from './failure.ts'
import type { LockHolder } from './lock-note.ts'
import { type MintLock, openMintLock } from './mint-lock.ts'
import { mintToken } from './mint-token.ts'

/** Mints while no other process mints for this key, and serves whatever another one minted meanwhile. */
export async function mintInTurn(cached: CachedCall): Promise<Served> {
  try {
    const served = await takeTurn(cached)
    if (served.origin === 'mint') await sweep(cached)
    return served
  } catch (error) {
    return serveLast(error, cached)
  }
}

async function takeTurn(cached: CachedCall): Promise<Served> {
  const { host, call, request, store } = cached
  const line = await call.deadline.during('opening the token cache', () => openMintLock(store))
  try {
    const entry = line && (await waitForTurn(cached, line))
    if (entry) return fromEntry(entry, 'cache')
    line?.begin(host.clock.now())
    const served = await mintToken(host, call, cached)
    if (line) await keep(cached, line, served)
    return served
  } catch (error) {
    const failure = toMintFailure(error, digestCaller(request.caller))
    if (failure) line?.fail(failure)
    throw error
  } finally {
    line?.leave()
  }
}

/**
 * Waits for our turn, or for the entry of somebody whose turn came first.
 * @throws {HelperError} the failure of somebody whose turn came first, if it is as good as our own.
 */
async function waitForTurn(cached: CachedCall, line: MintLock): Promise<TokenEntry | undefined> {
  const { call, request, findFresh } = cached
  let holder: LockHolder | undefined
  const describe = () =>
    holder === undefined
      ? 'the lock of the token cache'
      : `another run of ${request.program}, at work since ${new Date(holder.since).toISOString()} (process ${holder.pid}),`
  return call.deadline.during(describe, async ({ signal }) => {
    for (let attempts = 1; ; attempts += 1) {
      const turn = await line.attempt()
      // Somebody may have minted, or failed to, between our last look and our turn.
      const entry = await findFresh()
      if (entry) return entry
      const found = await line.findHolder()
      if (found?.failed && isOurFailure(found, cached)) throw fromMintFailure(found.failed)
      if (turn !== 'busy') return undefined
      if (found && !found.failed) holder = found
      await sleep(pauseMs(attempts), undefined, { signal })
    }
  })
}

/**
 * What became of a mint that began after this run did is what would become of one of its own, if both are asked alike:
 * a source that refuses a hundred runs at once is asked for the first of them. One from the future is none: the clock was
 * set back since.
 */
function isOurFailure({ since, failed }: LockHolder, { host: { clock }, request }: CachedCall): boolean {
  return since > clock.startedAt && since <= clock.now() && failed?.callerFingerprint === digestCaller(request.caller)
}

/** Spread out, so that many waiters do not come at once, and longer with time, so that they leave the processor to the one at work. */
function pauseMs(attempts: number): number {
  const longest = Math.min(30 * attempts, 150)
  return 10 + Math.random() * longest
}

/** The token is there and is worth more than its copy: a disk that hangs costs time, never the credential. */
async function keep({ host, call, request }: CachedCall, line: MintLock, served: Served): Promise<void> {
  const { clock } = host
  const circumstances = { context: call.context, now: clock.now(), bootedAt: clock.bootedAt, uses: request.uses }
  const entry = toEntry(served, circumstances)
  if (!entry) return
  await call.deadline
    .during('writing the token cache', () => line.write(entry))
    .catch(({ message }: Error) => call.warn(`${message}; the token is not kept`))
}

/** After the turn, so that nobody waits for it. What it does not come to is left to the next mint. */
async function sweep({ host, call, store }: CachedCall): Promise<void> {
  await call.deadline
    .during('sweeping the token cache', () => sweepCache(store.place.directory, host.clock.now()))
    .catch(() => undefined) // see above
}

/** A source that is briefly out of reach does not fail a call while the last token is good; a refusal always does. */
function serveLast(error: unknown, { call, findAlive }: CachedCall): Served {
  const isTransient = error instanceof HelperError && (error.kind === 'unavailable' || error.kind === 'late')
  // The client asks in this context because the last token was refused.
  const last = isTransient && call.context !== 'mid-session-refresh' ? findAlive() : undefined
  if (!last) throw error
  const until = new Date(computeEarliestExpiry(last)).toISOString()
  call.warn(`${(error as Error).message}; serving the last token, which is good until ${until}`)
  return fromEntry(last, 'cache, because the source cannot be reached')
}
