import type { HelperContext } from '../contract/context.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import type { Call, Minted } from './define-helper.ts'
import { CacheRefusal, cacheDirectory, entryPath, readEntry, writeEntry } from './token-cache.ts'
import { type Circumstances, entryOf, isAlive, isFresh, marginMs, type TokenEntry } from './token-entry.ts'

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

/** Serves a token from the cache if it is fresh for this call, or mints one and keeps it. */
export async function serveToken(
  host: Pick<Host, 'env' | 'home' | 'platform' | 'clock'>,
  call: Call,
  request: TokenRequest,
): Promise<Served> {
  const directory = cacheDirectory(host)
  const path = request.cache === 'disk' ? entryPath(directory, request.program, request.key) : undefined
  const cached =
    path === undefined ? undefined : await call.deadline.during('reading the token cache', () => readOrWarn(path, call))
  const circumstances: Circumstances = {
    context: call.context,
    now: host.clock.now(),
    startedAt: host.clock.startedAt,
    clientTtlSec: request.clientTtlSec,
  }
  if (cached && isFresh(cached, circumstances)) return fromEntry(cached, 'cache')
  const served = await mintOrFallBack(host, call, request, cached)
  const entry = served.origin === 'mint' ? entryOf(served, call.context, host.clock.now()) : undefined
  if (path && entry) {
    await call.deadline.during('writing the token cache', () => writeOrWarn(directory, path, entry, call))
  }
  return served
}

/** A source that is briefly out of reach does not fail a call while the last token is good; a refusal always does. */
async function mintOrFallBack(
  host: Pick<Host, 'clock'>,
  call: Call,
  request: TokenRequest,
  cached: TokenEntry | undefined,
): Promise<Served> {
  try {
    const minted = await request.mint()
    warnIfShort(minted, host.clock.now(), request.clientTtlSec, call)
    return { ...minted, origin: 'mint' }
  } catch (error) {
    const unreachable = error instanceof HelperError && error.kind === 'unavailable'
    if (!unreachable || !cached || !isAlive(cached, host.clock.now()) || isRefresh(call.context)) throw error
    call.warn(
      `${error.message}; serving the last token, which is good until ${new Date(cached.expiresAt).toISOString()}`,
    )
    return fromEntry(cached, 'cache, because the source cannot be reached')
  }
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

/** A cache that cannot be used costs time, never the credential. */
async function readOrWarn(path: string, call: Call): Promise<TokenEntry | undefined> {
  try {
    return await readEntry(path)
  } catch (error) {
    call.warn(`cannot use the token cache: ${reasonOf(error)}`)
    return undefined
  }
}

async function writeOrWarn(directory: string, path: string, entry: TokenEntry, call: Call): Promise<void> {
  try {
    await writeEntry(directory, path, entry)
  } catch (error) {
    call.warn(`cannot keep the token for the next run: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof CacheRefusal) return error.message
  const { code, path } = error as NodeJS.ErrnoException
  return `${code ?? 'unknown error'}${path ? ` at ${path}` : ''}`
}
