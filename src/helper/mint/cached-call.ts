import type { Host } from '../../runtime/host.ts'
import type { TokenEntry } from '../cache/entry.ts'
import type { TokenStore } from '../cache/store.ts'
import type { Call, MintedToken, UsedAssertions } from '../define-helper.ts'

/** A token with where it came from. */
export interface Served extends MintedToken {
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
  readonly caller: Pick<Host, 'argv' | 'env'>
  /** What the token is made from, in words, for whoever lists the cache. */
  readonly uses: readonly string[]
  mint(usedAssertions: UsedAssertions): Promise<MintedToken>
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

/** A token from the cache. */
export function fromEntry({ token, expiresAt, facts }: TokenEntry, origin: Served['origin']): Served {
  return { token, expiresAt: new Date(expiresAt), facts, origin }
}
