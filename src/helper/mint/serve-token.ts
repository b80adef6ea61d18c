import type { Host } from '../../runtime/host.ts'
import { locateCacheDirectory } from '../cache/directory.ts'
import { type FreshnessCriteria, isAlive, isFresh, type TokenEntry } from '../cache/entry.ts'
import { openStore, type TokenStore } from '../cache/store.ts'
import type { Call } from '../define-helper.ts'
import type { CachedCall, Served, TokenRequest } from './cached-call.ts'
import { fromEntry } from './cached-call.ts'

/** Serves a token that is fresh for this call from the cache, or mints one, one process at a time, and keeps it. */
export async function serveToken(
  host: Pick<Host, 'env' | 'home' | 'platform' | 'clock'>,
  call: Call,
  request: TokenRequest,
): Promise<Served> {
  const { program, key } = request
  const store = openStore({ directory: locateCacheDirectory(host), program, key }, call.warn)
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

function cachedCall(host: Pick<Host, 'clock'>, call: Call, request: TokenRequest, store: TokenStore): CachedCall {
  let last: TokenEntry | undefined
  const circumstances = (): FreshnessCriteria => ({
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
