import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../runtime/failure.ts'
import type { LockHolder } from './lock-note.ts'
import { joinLine, type MintLine } from './mint-line.ts'
import { mintToken } from './mint-token.ts'
import { type CachedCall, fromEntry, type Served } from './serve-token.ts'
import { sweepCache } from './sweep-cache.ts'
import { entryOf, surelyEndsAt, type TokenEntry } from './token-entry.ts'

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
  const line = await call.deadline.during('opening the token cache', () => joinLine(store))
  try {
    const entry = line && (await waitForTurn(cached, line))
    if (entry) return fromEntry(entry, 'cache')
    const served = await mintToken(host, call, request)
    if (line) await keep(cached, line, served)
    return served
  } finally {
    line?.leave()
  }
}

/** Waits for our turn, or for the entry of somebody whose turn came first. */
async function waitForTurn(
  { host, call, request, findFresh }: CachedCall,
  line: MintLine,
): Promise<TokenEntry | undefined> {
  let holder: LockHolder | undefined
  const describe = () =>
    holder === undefined
      ? 'the lock of the token cache'
      : `another run of ${request.program}, at work since ${new Date(holder.since).toISOString()} (process ${holder.pid}),`
  return call.deadline.during(describe, async (signal) => {
    for (let attempts = 1; ; attempts += 1) {
      const turn = await line.attempt(host.clock.now())
      // Somebody may have minted between our last look and our turn.
      const entry = await findFresh()
      if (entry || turn !== 'busy') return entry
      holder = (await line.findHolder()) ?? holder
      await sleep(pauseMs(attempts), undefined, { signal })
    }
  })
}

/** Spread out, so that many waiters do not come at once, and longer with time, so that they leave the processor to the one at work. */
function pauseMs(attempts: number): number {
  const longest = Math.min(30 * attempts, 150)
  return 10 + Math.random() * longest
}

/** The token is there and is worth more than its copy: a disk that hangs costs time, never the credential. */
async function keep({ host, call, request }: CachedCall, line: MintLine, served: Served): Promise<void> {
  const { clock } = host
  const circumstances = { context: call.context, now: clock.now(), bootedAt: clock.bootedAt, uses: request.uses }
  const entry = entryOf(served, circumstances)
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
  const isBrief = error instanceof HelperError && (error.kind === 'unavailable' || error.kind === 'late')
  // The client asks in this context because the last token was refused.
  const last = isBrief && call.context !== 'mid-session-refresh' ? findAlive() : undefined
  if (!last) throw error
  const until = new Date(surelyEndsAt(last)).toISOString()
  call.warn(`${(error as Error).message}; serving the last token, which is good until ${until}`)
  return fromEntry(last, 'cache, because the source cannot be reached')
}
