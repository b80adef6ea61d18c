import type { Host } from '../../runtime/host.ts'
import { marginMs } from '../cache/freshness.ts'
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
  const minted = await request.mint(createUsedAssertions(store, call.deadline))
  warnIfShort(minted, host.clock.now(), request.clientTtlSec, call)
  return { ...minted, origin: 'mint' }
}

function warnIfShort({ expiresAt }: MintedToken, now: number, clientTtlSec: number, call: Call): void {
  if (!expiresAt) return
  const lifeSec = Math.floor((expiresAt.getTime() - now) / 1000)
  if (lifeSec * 1000 + marginMs >= clientTtlSec * 1000) return
  const ttlSec = Math.max(1, lifeSec - marginMs / 1000)
  call.warn(
    `the token lives ${lifeSec} s, but the client keeps it for ${clientTtlSec} s: set ttlSec in the client's document, and client-ttl here, to ${ttlSec}`,
  )
}
