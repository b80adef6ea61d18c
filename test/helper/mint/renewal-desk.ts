import type { HelperContext } from '../../../src/contract/context.ts'
import { type TokenEntry, writeEntry } from '../../../src/helper/cache/entry.ts'
import type { Call, MintedToken } from '../../../src/helper/define-helper.ts'
import { serveToken } from '../../../src/helper/run/cached-or-minted.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { createCacheDirectory, locateCacheDirectory } from '../../../src/runtime/files/private-files.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { testHost, testNow } from '../../setup/test-host.ts'

export const hour = 3_600_000

/**
 * The first moment at which the kept token of a desk is renewed. It is served for nine hours less a minute, of which `renewEarly`
 * and its fraction take a half each.
 */
export const renewedFrom = 9 * hour - 60_000 - (9 * hour - 60_000) / 4

/** One run, and what its source does. */
export interface Run {
  /** Milliseconds since the kept token was minted. */
  readonly at: number
  readonly context?: HelperContext
  readonly clientTtlSec?: number
  readonly renewEarly?: number
  /** How long the call may take. */
  readonly seconds?: number
  /** The work of another process between this one's decision to renew and its opening of the lock. */
  meanwhile?(): void
  /** @param pass Lets so many milliseconds pass; no others do, however long a machine takes. */
  mint(call: Call, pass: (ms: number) => void): Promise<MintedToken>
}

/** Starts a machine with a token that lives for ten hours, and on which half of the longest time is what it is renewed early by. */
export async function startRenewalDesk(kept: Partial<TokenEntry> = {}) {
  const host = await testHost()
  const location = { directory: locateCacheDirectory(host), program: 'tool', key: 'k' }
  await createCacheDirectory(location.directory)
  const times = { minted: testNow, expiresAt: testNow + 10 * hour, clockOffsetMs: 0, bootedAt: undefined }
  const rest = { context: 'interactive', facts: {}, uses: [], earlyFraction: 0.5 } as const
  await writeEntry(location, { token: new Secret('kept'), ...times, ...rest, ...kept })
  const run = async ({
    at,
    context = 'interactive',
    clientTtlSec = 3600,
    renewEarly = 50,
    seconds = 58,
    meanwhile,
    mint,
  }: Run) => {
    const warnings: string[] = []
    const unrenewed: unknown[] = []
    let passedMs = 0
    const pass = (ms: number) => {
      passedMs += ms
    }
    const clock = { now: () => testNow + at + passedMs, startedAt: testNow + at - 20, elapsedMs: () => passedMs }
    let looks = 0
    const deadline = new Deadline({ seconds, hint: '' }, clock, (stage) => {
      if (!stage.startsWith('reading')) return
      // The first look of a run is for an entry, the second for a note.
      looks += 1
      if (looks === 2) meanwhile?.()
    })
    const call = { program: 'tool', context, deadline, warn: (message: string) => warnings.push(message) }
    const calls: Call[] = []
    const served = serveToken({ ...host, clock }, call, {
      program: 'tool',
      key: 'k',
      cache: 'disk',
      clientTtlSec,
      renewEarly,
      notBefore: undefined,
      uses: [],
      caller: { argv: [], env: {}, variables: [] },
      mint: async (_, given) => {
        calls.push(given)
        return mint(given, pass)
      },
      noteRefresh: () => {},
      noteUnrenewed: (error) => unrenewed.push(error),
    })
    const outcome = await served.then(
      ({ token, origin }) => ({ token: token.reveal(), origin }),
      (error: unknown) => ({ error }),
    )
    return { outcome: { ...outcome, mints: calls.length, warnings }, calls, unrenewed }
  }
  return { location, run }
}

/** Returns a new token that lives for so many hours since the kept one was minted. */
export const give =
  (token: string, hours: number): Run['mint'] =>
  async () => ({ token: new Secret(token), expiresAt: new Date(testNow + hours * hour), facts: {} })
/** Returns a source that is not asked. */
export const never: Run['mint'] = () => Promise.reject(new Error('it is not asked'))
/** Returns a source that fails. */
export const failAs =
  (kind: FailureKind): Run['mint'] =>
  async ({ warn }) => {
    warn('a warning of a mint that came to nothing')
    throw new HelperError(kind, 'no token', 'ask for one')
  }

/** Returns the outcome of a run that is served the kept token. */
export const served = (mints: number) => ({ token: 'kept', origin: 'cache', mints, warnings: [] })

/** The outcome of a run that mints a new one. */
export const minted = { token: 'new', origin: 'mint', mints: 1, warnings: [] }
