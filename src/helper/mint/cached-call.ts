import type { Host } from '../../runtime/host.ts'
import type { TokenEntry } from '../cache/entry.ts'
import type { TokenStore } from '../cache/store.ts'
import type { Call, MintedToken, UsedAssertions } from '../define-helper.ts'

/** A token, and where it came from. */
export interface ServedToken extends MintedToken {
  readonly origin: 'cache' | 'mint' | 'cache, because the source cannot be reached'
}

/** What a run asks the token cache for. */
export interface TokenRequest {
  readonly program: string
  readonly key: string
  readonly cache: 'disk' | 'keychain' | 'none'
  readonly clientTtlSec: number
  /** See the option of that name. */
  readonly renewEarly: number
  /** Whether the client is told when the token ends, so that it does not keep it for longer. */
  readonly isEndTold?: boolean | undefined
  /** The longest ttl that suits the helper's tokens, where it says so. */
  readonly longestTtlSec?: number | undefined
  /** Milliseconds since the epoch: earlier entries do not count. */
  readonly notBefore: number | undefined
  /** What else decides how a mint fails: runs with equal arguments and environment share a failure. */
  readonly caller: Pick<Host, 'argv' | 'env'>
  /** What the token is made from, in words, for `gatepass cache list`. */
  readonly uses: readonly string[]
  /** @param call Who may be asked, and how long it may take. */
  mint(usedAssertions: UsedAssertions, call: Call): Promise<MintedToken>
  /** Records for the log why a token was not renewed early, of which nobody is told. */
  noteUnrenewed(error: unknown): void
}

/** A call, and the token cache for its key. */
export interface CachedCall {
  readonly host: Pick<Host, 'clock'>
  readonly call: Call
  readonly request: TokenRequest
  readonly store: TokenStore
  /** Reads the entry; `undefined` if it may not be served in place of a new token, or this machine renews it early. */
  findFresh(): Promise<TokenEntry | undefined>
  /** The entry as it was last read, if it may be served although this machine renews it early. */
  findDue(): TokenEntry | undefined
  /** The entry as it was last read, if it has not expired: after the deadline there is no time to read it again. */
  findUnexpired(): TokenEntry | undefined
}

/** The token of an entry. */
export function fromEntry(
  { token, expiresAt, facts, headers }: TokenEntry,
  origin: ServedToken['origin'],
): ServedToken {
  return {
    ...{ token, facts, headers, origin },
    // On use, because the first `Date` of a process reads the time zone, which takes up to 1 ms.
    get expiresAt() {
      return new Date(expiresAt)
    },
  }
}
