import { isPromptAllowed } from '../../contract/context.ts'
import type { Host } from '../../runtime/host.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import type { KeychainHost } from '../../sources/keychain/keychain-host.ts'
import type { EntryFiles } from '../cache/entry-files.ts'
import { createStore } from '../cache/store.ts'
import type { Call } from '../define-helper.ts'
import { fromEntry, type ServedToken, type TokenRequest } from './cached-call.ts'
import { createCachedCall } from './create-cached-call.ts'

/** Serves a token from the cache if one is fresh for this call; otherwise mints one, one process at a time, and stores it. */
export async function serveToken(
  host: Pick<Host, 'argv' | 'env' | 'home' | 'platform' | 'clock'>,
  call: Call,
  request: TokenRequest,
): Promise<ServedToken> {
  const { program, key } = request
  const store = createStore(
    { directory: locateCacheDirectory(host), program, key },
    call.warn,
    chooseFiles(host, call, request),
  )
  // A used assertion stays recorded although it is no token (RFC 7523, section 3, jti).
  if (request.cache === 'none') return (await import('./mint-token.ts')).mintToken(host, call, { request, store })
  warnIfFuture(host, call, request)
  const cached = createCachedCall(host, call, request, store)
  const entry = await call.deadline.during(
    'cache',
    `reading the token cache in ${store.location.directory}`,
    cached.findFresh,
  )
  if (entry) return fromEntry(entry, 'cache')
  const renewed = cached.findDue() && (await (await import('./renew-early.ts')).renewEarly(cached))
  if (renewed) return renewed
  const kept = cached.findDue() // an early renewal may have taken a while
  if (kept) return fromEntry(kept, 'cache')
  // Loaded on use, because a call that is served from the cache does not need it.
  const { mintUnderLock } = await import('./mint-under-lock.ts')
  return mintUnderLock(cached)
}

/** How entries are kept; `undefined` where they stand as they are. */
function chooseFiles(host: KeychainHost, call: Call, { cache }: TokenRequest): (() => Promise<EntryFiles>) | undefined {
  if (cache !== 'keychain') return undefined
  return async () => {
    const { createSealedFiles, openCacheKey } = await import('../cache/sealed-files.ts')
    return createSealedFiles(await openCacheKey(host, call), call, isPromptAllowed(call.context) ? 'on-use' : 'early')
  }
}

/** A `not-before` in the future is a mistake, or this machine's clock is wrong; ignoring it could serve a token that must not be. */
function warnIfFuture({ clock }: Pick<Host, 'clock'>, { warn }: Call, { notBefore = 0 }: TokenRequest): void {
  if (notBefore <= clock.now()) return
  const date = new Date(notBefore).toISOString()
  warn(`not-before lies in the future (${date}): until then every call gets a new token; correct it, or the clock`)
}
