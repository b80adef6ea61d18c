import type { Host } from '../../runtime/host.ts'
import type { TokenEntry } from '../cache/entry.ts'
import { type FreshnessCriteria, isFresh, isRenewalDue, isUnexpired } from '../cache/freshness.ts'
import type { TokenStore } from '../cache/store.ts'
import type { Call } from '../define-helper.ts'
import type { CachedCall, TokenRequest } from './cached-call.ts'

/** The cache for one call. */
export function createCachedCall(
  host: Pick<Host, 'clock'>,
  call: Call,
  request: TokenRequest,
  store: TokenStore,
): CachedCall {
  let last: TokenEntry | undefined
  const criteria = (): FreshnessCriteria => ({
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
      if (!last || !isFresh(last, criteria())) return undefined
      return isRenewalDue(last, criteria(), request.renewEarly) ? undefined : last
    },
    findDue: () => (last && isFresh(last, criteria()) ? last : undefined),
    findUnexpired: () => (last && isUnexpired(last, criteria()) ? last : undefined),
  }
}
