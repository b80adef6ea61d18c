import { isLastTokenServed } from '../../contract/timing/last-token.ts'
import { HelperError } from '../../runtime/failure.ts'
import { computeEarliestExpiry } from '../cache/freshness.ts'
import { type CachedCall, fromEntry, type ServedToken } from './cached-call.ts'

/** Serves the last token while the source cannot be reached; a refusal always fails the call. */
export function serveLastToken(error: unknown, { call, findUnexpired }: CachedCall): ServedToken {
  const isServed = error instanceof HelperError && isLastTokenServed(call.context, error.kind)
  const last = isServed ? findUnexpired() : undefined
  if (!last) throw error
  const until = new Date(computeEarliestExpiry(last)).toISOString()
  call.warn(`${(error as Error).message}; serving the last token, which is good until ${until}`)
  return fromEntry(last, 'cache, because the source cannot be reached')
}
