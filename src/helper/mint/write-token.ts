import { findMachineName } from '../../runtime/host.ts'
import { computeEntryFraction } from '../cache/early-fraction.ts'
import { toEntry } from '../cache/entry.ts'
import { sweepCache } from '../cache/sweep.ts'
import type { CachedCall, ServedToken } from './cached-call.ts'
import type { MintLock } from './mint-lock.ts'

/** Writes the entry. An error becomes a warning, because a cache that cannot be used must not cost the credential. */
export async function writeToken(
  { host, call, request, store }: CachedCall,
  lock: MintLock,
  served: ServedToken,
): Promise<void> {
  const { clock } = host
  const now = clock.now()
  const earlyFraction = computeEntryFraction(findMachineName(), store.location, now)
  const times = { now, bootedAt: clock.bootedAt, earlyFraction }
  const parts = { context: call.context, ...times, uses: request.uses }
  const entry = toEntry(served, parts)
  if (!entry) return
  await call.deadline
    .during('cache', `writing the token cache in ${store.location.directory}`, () => lock.write(entry))
    .catch(({ message }: Error) => call.warn(`${message}; the token is not stored`))
}

/** Sweeps the cache after the lock is released, so that nobody waits for it. What it does not reach is left to the next mint. */
export async function sweepAfterMint({ host, call, store }: CachedCall): Promise<void> {
  await call.deadline
    .during('cache', `sweeping the token cache in ${store.location.directory}`, () =>
      sweepCache(store.location.directory, host.clock.now()),
    )
    .catch(() => undefined) // as documented above
}
