import { perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import { marginMs } from '../../contract/timing/freshness.ts'
import type { Host } from '../../runtime/host.ts'
import type { TokenStore } from '../cache/store.ts'
import type { Call, MintedToken } from '../define-helper.ts'
import type { ServedToken, TokenRequest } from './cached-call.ts'
import { createUsedAssertions } from './used-assertions.ts'

/** Mints a token, and warns if the client would keep it for longer than it lives. */
export async function mintToken(
  host: Pick<Host, 'clock'>,
  call: Call,
  { request, store }: { request: TokenRequest; store: TokenStore },
): Promise<ServedToken> {
  const minted = await request.mint(createUsedAssertions(store, call.deadline), call)
  warnIfShort(minted, host.clock.now(), request, call)
  return { ...minted, origin: 'mint' }
}

function warnIfShort(token: MintedToken, now: number, request: TokenRequest, call: Call): void {
  if (!token.expiresAt || request.isEndTold) return
  const lifeSec = Math.floor((token.expiresAt.getTime() - now) / 1000)
  const { clientTtlSec, longestTtlSec = Number.POSITIVE_INFINITY } = request
  if (lifeSec + marginSec >= clientTtlSec && clientTtlSec <= longestTtlSec) return
  const advice = describeAdvice(token, lifeSec > longestTtlSec ? longestTtlSec : lifeSec - marginSec)
  const keeps = clientTtlSec > lifeSec ? 'but the client keeps it' : 'and the client keeps it almost as long,'
  call.warn(`the token lives ${lifeSec} s, ${keeps} for ${clientTtlSec} s: ${advice}`)
}

const marginSec = marginMs / 1000

/** Never a ttl that `config check` would warn of: so short a life is to be made longer. */
function describeAdvice({ shortenedBy, remedy }: MintedToken, ttlSec: number): string {
  if (remedy !== undefined) return remedy
  if (ttlSec > perTurnCheckAboveTtlSec) return `set ttlSec in the client's document, and client-ttl here, to ${ttlSec}`
  const least = perTurnCheckAboveTtlSec + marginSec
  const way =
    shortenedBy === undefined ? 'have its source issue tokens that live longer than' : `raise ${shortenedBy} above`
  return `${way} ${least} s, because under a ttlSec of ${perTurnCheckAboveTtlSec} or less a client does not ask before each turn`
}
