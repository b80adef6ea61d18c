import { perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import { marginMs } from '../../contract/timing/freshness.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { describeWaiting } from '../../runtime/disk.ts'
import type { Host } from '../../runtime/host.ts'
import { settledAfterMs } from '../../runtime/program/file-state.ts'
import type { WatchedState } from '../cache/entry.ts'
import type { ServedToken, TokenRequest, TokenStore } from '../cache/store.ts'
import type { Call, MintedToken, UsedAssertions } from '../define-helper.ts'

/** Mints a token, and warns if the client would keep it for longer than it lives. */
export async function mintToken(
  host: Pick<Host, 'clock'>,
  call: Call,
  { request, store }: { request: TokenRequest; store: TokenStore },
): Promise<ServedToken> {
  const before = await readWatched(host, request, call)
  const minted = await request.mint(toUsedAssertions(store, call.deadline), call)
  tellShortLife(minted, host.clock.now(), request, call)
  const after = before === undefined || !minted.expiresAt ? undefined : await readWatched(host, request, call)
  return {
    ...minted,
    origin: 'mint',
    ...(before !== undefined && after !== undefined && { watched: { before, after } }),
  }
}

/** Records used assertions. Loaded on use, because most sources may send twice what they send. */
function toUsedAssertions(store: TokenStore, deadline: Deadline): UsedAssertions {
  return {
    use: async (assertion, work) => {
      const { createUsedAssertions } = await import('./used-assertions.ts')
      return createUsedAssertions(store, deadline).use(assertion, work)
    },
  }
}

/** How the watched files are now; `undefined` where none are, and where they cannot be read, which must not cost the token. */
async function readWatched(
  { clock }: Pick<Host, 'clock'>,
  { cache, watched }: TokenRequest,
  { deadline }: Call,
): Promise<WatchedState | undefined> {
  if (!watched || cache === 'none') return undefined
  const settledBefore = clock.now() - settledAfterMs
  const read = async () => {
    const { state, changedAt, readContent } = await watched.look()
    return { content: await readContent(), isRewritten: false, ...(changedAt <= settledBefore && { state }) }
  }
  return deadline
    .during('configuration', () => `reading the watched files${describeWaiting()}`, read)
    .catch(() => undefined)
}

function tellShortLife(token: MintedToken, now: number, request: TokenRequest, call: Call): void {
  if (!token.expiresAt || request.isEndTold) return
  const lifeSec = Math.floor((token.expiresAt.getTime() - now) / 1000)
  const { clientTtlSec, longestTtlSec = Number.POSITIVE_INFINITY } = request
  if (lifeSec + marginSec >= clientTtlSec && clientTtlSec <= longestTtlSec) return
  const advice = describeAdvice(token, lifeSec > longestTtlSec ? longestTtlSec : lifeSec - marginSec)
  const keeps = clientTtlSec > lifeSec ? 'but the client keeps it' : 'and the client keeps it almost as long,'
  call.warn(`the token lives ${lifeSec} s, ${keeps} for ${clientTtlSec} s: ${advice}`)
}

const marginSec = marginMs / 1000

/** Never advises a ttl that `config check` would warn about; for so short a life, it advises to make the life longer. */
function describeAdvice({ shortenedBy, remedy }: MintedToken, ttlSec: number): string {
  if (remedy !== undefined) return remedy
  if (ttlSec > perTurnCheckAboveTtlSec) return `set ttlSec in the client's document, and client-ttl here, to ${ttlSec}`
  const least = perTurnCheckAboveTtlSec + marginSec
  const way =
    shortenedBy === undefined ? 'have its source issue tokens that live longer than' : `raise ${shortenedBy} above`
  return `${way} ${least} s, because under a ttlSec of ${perTurnCheckAboveTtlSec} or less a client does not ask before each turn`
}
