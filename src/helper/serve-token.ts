import type { HelperContext } from '../contract/context.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import type { Call, Minted } from './define-helper.ts'
import { type LockHolder, pause } from './entry-lock.ts'
import { cacheDirectory } from './token-cache.ts'
import { type Circumstances, entryOf, isAlive, isFresh, marginMs, type TokenEntry } from './token-entry.ts'
import { openStore, type TokenStore, type Turn } from './token-store.ts'

/** A token with where it came from. */
export interface Served extends Minted {
  readonly origin: 'cache' | 'mint' | 'cache, because the source cannot be reached'
}

export interface TokenRequest {
  readonly program: string
  readonly key: string
  readonly cache: 'disk' | 'none'
  readonly clientTtlSec: number
  mint(): Promise<Minted>
}

type ServingHost = Pick<Host, 'env' | 'home' | 'platform' | 'clock'>

/** Serves a token that is fresh for this call from the cache, or mints one, one process at a time, and keeps it. */
export async function serveToken(host: ServingHost, call: Call, request: TokenRequest): Promise<Served> {
  if (request.cache === 'none') return mint(host, call, request)
  const { program, key } = request
  const store = openStore({ directory: cacheDirectory(host), program, key, warn: call.warn })
  const findFresh = async () => {
    const entry = await store.read()
    return entry && isFresh(entry, circumstancesOf(host, call, request)) ? entry : undefined
  }
  const cached = await call.deadline.during('reading the token cache', findFresh)
  if (cached) return fromEntry(cached, 'cache')
  return mintOrFallBack(host, call, store, () => takeTurn(host, call, { store, program, findFresh }, request))
}

interface Queue {
  readonly store: TokenStore
  readonly program: string
  findFresh(): Promise<TokenEntry | undefined>
}

/** Waits until nobody else mints for this key; whatever another run minted meanwhile is served, and else we mint. */
async function takeTurn(host: ServingHost, call: Call, queue: Queue, request: TokenRequest): Promise<Served> {
  const got = await waitForTurn(host, call, queue)
  if (got !== 'unusable' && 'entry' in got) return fromEntry(got.entry, 'cache')
  try {
    // Someone may have minted between our look and our lock.
    const fresh = await call.deadline.during('reading the token cache', queue.findFresh)
    if (fresh) return fromEntry(fresh, 'cache')
    const served = await mint(host, call, request)
    const entry = entryOf(served, call.context, host.clock.now())
    if (entry) await call.deadline.during('writing the token cache', () => queue.store.write(entry, host.clock.now()))
    return served
  } finally {
    if (got !== 'unusable') await got.release()
  }
}

async function waitForTurn(
  { clock }: ServingHost,
  call: Call,
  { store, program, findFresh }: Queue,
): Promise<Turn | { entry: TokenEntry } | 'unusable'> {
  let holder: LockHolder | undefined
  const describe = () =>
    holder === undefined
      ? 'the lock of the token cache'
      : `another run of ${program}, at work since ${new Date(holder.since).toISOString()} (process ${holder.pid}),`
  return call.deadline.during(describe, async (signal) => {
    for (;;) {
      const lock = await store.tryLock(clock.now())
      if (lock !== 'busy') return lock
      holder = await store.findHolder()
      const entry = await findFresh()
      if (entry) return { entry }
      await pause(signal)
    }
  })
}

async function mint(host: Pick<Host, 'clock'>, call: Call, request: TokenRequest): Promise<Served> {
  const minted = await request.mint()
  warnIfShort(minted, host.clock.now(), request.clientTtlSec, call)
  return { ...minted, origin: 'mint' }
}

/** A source that is briefly out of reach does not fail a call while the last token is good; a refusal always does. */
async function mintOrFallBack(
  { clock }: Pick<Host, 'clock'>,
  call: Call,
  store: TokenStore,
  work: () => Promise<Served>,
): Promise<Served> {
  try {
    return await work()
  } catch (error) {
    const isBrief = error instanceof HelperError && (error.kind === 'unavailable' || error.kind === 'late')
    const cached = isBrief && !isRefresh(call.context) ? await store.read() : undefined
    if (!cached || !isAlive(cached, clock.now())) throw error
    const until = new Date(cached.expiresAt).toISOString()
    call.warn(`${(error as Error).message}; serving the last token, which is good until ${until}`)
    return fromEntry(cached, 'cache, because the source cannot be reached')
  }
}

function circumstancesOf({ clock }: ServingHost, { context }: Call, { clientTtlSec }: TokenRequest): Circumstances {
  return { context, now: clock.now(), startedAt: clock.startedAt, clientTtlSec }
}

/** The client asks in this context because the last token was refused. */
function isRefresh(context: HelperContext): boolean {
  return context === 'mid-session-refresh'
}

function warnIfShort({ expiresAt }: Minted, now: number, clientTtlSec: number, call: Call): void {
  if (!expiresAt) return
  const lifeSec = Math.floor((expiresAt.getTime() - now) / 1000)
  if (lifeSec * 1000 + marginMs >= clientTtlSec * 1000) return
  const ttlSec = Math.max(1, lifeSec - marginMs / 1000)
  call.warn(
    `the token lives ${lifeSec} s, but the client keeps it for ${clientTtlSec} s: set ttlSec in the client's document, and client-ttl here, to ${ttlSec}`,
  )
}

function fromEntry({ token, expiresAt, facts }: TokenEntry, origin: Served['origin']): Served {
  return { token, expiresAt: new Date(expiresAt), facts, origin }
}
