import type { Host } from '../../runtime/host.ts'
import { cacheDirectory } from '../cache/directory.ts'
import { type Circumstances, isAlive, isFresh, type TokenEntry } from '../cache/entry.ts'
import { openStore, type TokenStore } from '../cache/store.ts'
import type { Call, Minted, SpentTokens } from '../define-helper.ts'

/** A token with where it came from. */
export interface Served extends Minted {
  readonly origin: 'cache' | 'mint' | 'cache, because the source cannot be reached'
}

export interface TokenRequest {
  readonly program: string
  readonly key: string
  readonly cache: 'disk' | 'none'
  readonly clientTtlSec: number
  /** Milliseconds since the epoch: entries from before do not count. */
  readonly notBefore: number | undefined
  /** What else decides how a mint fails: runs that are alike in it fail alike. */
  readonly asker: Pick<Host, 'argv' | 'env'>
  /** What the token is made from, in words, for whoever lists the cache. */
  readonly uses: readonly string[]
  mint(spent: SpentTokens): Promise<Minted>
}

/** A call with its place in the token cache. */
export interface CachedCall {
  readonly host: Pick<Host, 'clock'>
  readonly call: Call
  readonly request: TokenRequest
  readonly store: TokenStore
  /** Reads the entry; `undefined` if it may not be served in place of a new token. */
  findFresh(): Promise<TokenEntry | undefined>
  /** The entry as it was last read, if it still works: at the deadline there is no time left for the disk. */
  findAlive(): TokenEntry | undefined
}

/** Serves a token that is fresh for this call from the cache, or mints one, one process at a time, and keeps it. */
export async function serveToken(
  host: Pick<Host, 'env' | 'home' | 'platform' | 'clock'>,
  call: Call,
  request: TokenRequest,
): Promise<Served> {
  const { program, key } = request
  const store = openStore({ directory: cacheDirectory(host), program, key }, call.warn)
  // What is used up is no token, and is remembered all the same.
  if (request.cache === 'none') return (await import('./mint-token.ts')).mintToken(host, call, { request, store })
  warnOfFuture(host, call, request)
  const cached = cachedCall(host, call, request, store)
  const entry = await call.deadline.during('reading the token cache', cached.findFresh)
  if (entry) return fromEntry(entry, 'cache')
  // Loaded here, so that a call that is served from the cache does not wait for it.
  const { mintInTurn } = await import('./mint-in-turn.ts')
  return mintInTurn(cached)
}

/** Such a date is a slip, or this machine's clock is: to void too much costs time, to void too little is no remedy. */
function warnOfFuture({ clock }: Pick<Host, 'clock'>, { warn }: Call, { notBefore = 0 }: TokenRequest): void {
  if (notBefore <= clock.now()) return
  const date = new Date(notBefore).toISOString()
  warn(`not-before lies in the future (${date}): until then every call gets a new token; correct it, or the clock`)
}

/** A token from the cache. */
export function fromEntry({ token, expiresAt, facts }: TokenEntry, origin: Served['origin']): Served {
  return { token, expiresAt: new Date(expiresAt), facts, origin }
}

function cachedCall(host: Pick<Host, 'clock'>, call: Call, request: TokenRequest, store: TokenStore): CachedCall {
  let last: TokenEntry | undefined
  const circumstances = (): Circumstances => ({
    context: call.context,
    now: host.clock.now(),
    startedAt: host.clock.startedAt,
    bootedAt: host.clock.bootedAt,
    clientTtlSec: request.clientTtlSec,
    notBefore: request.notBefore,
  })
  return {
    ...{ host, call, request, store },
    findFresh: async () => {
      last = await store.read()
      return last && isFresh(last, circumstances()) ? last : undefined
    },
    findAlive: () => (last && isAlive(last, circumstances()) ? last : undefined),
  }
}
