// Folder: cached tokens on disk: their keys and entries, when an entry may be served, and which client processes got it.

import type { TokenOrigin } from '../../outcomes/call-outcome.ts'
import { HelperError, isWithoutRoom, renderErrorCode } from '../../runtime/failure.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { cacheProblem, UnsafeCacheError } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { Caller } from '../../runtime/program/digest-caller.ts'
import type { Vendor } from '../../vendor/setting.ts'
import type { Call, MintedToken, Refresh, UsedAssertions, WatchedFiles } from '../define-helper.ts'
import type { OptionTable } from '../options/option-table.ts'
import type { EntryLocation } from './cache-files.ts'
import { entryFormat, readEntry, type TokenEntry, type WatchedState, writeEntry } from './entry.ts'
import { type FreshnessCriteria, isFresh, isRenewalDue, isUnexpired } from './freshness.ts'
import type { AskedToken, IsRefused, RunPurpose } from './read-refusal.ts'

/** A token, and whether it was cached or minted. */
export interface ServedToken extends MintedToken {
  readonly origin: TokenOrigin
  /** When the token was minted, in milliseconds since the epoch; absent for a new token. */
  readonly minted?: number | undefined
  /** The state of the watched files before and after the mint; absent if no file is watched, or if one could not be read. */
  readonly watched?: { readonly before: WatchedState; readonly after: WatchedState } | undefined
}

/** The request of a run to the token cache: the key, the limits on a cached token, and how to mint another. */
export interface TokenRequest extends AskedToken {
  readonly program: string
  readonly key: string
  readonly cache: 'disk' | 'keychain' | 'none'
  /** The value of the option `renew-early`. */
  readonly renewEarly: number
  /** Whether the output contains the token's expiry, so that the client does not keep the token for longer. */
  readonly isEndTold?: boolean | undefined
  /** The longest `ttlSec` that suits the helper's tokens; absent if the helper declares none. */
  readonly longestTtlSec?: number | undefined
  /** Entries minted before this time are not served; in milliseconds since the epoch. */
  readonly notBefore: number | undefined
  /** The values besides the key that decide how a mint can fail. Runs with equal values share a failure. */
  readonly caller: Caller
  /** Files whose change voids the entry; absent if no file is watched. */
  readonly watched?: WatchedFiles | undefined
  /** The plan's steps for people, for `gatepass cache list`. */
  readonly uses: readonly string[]
  /** Mints a token. @param call Its context decides whether a person may be asked, and its deadline how long the mint may take. */
  mint(usedAssertions: UsedAssertions, call: Call): Promise<MintedToken>
  /** Records the cause of a refresh for the log. */
  noteRefresh(refresh: Refresh): void
  /** See `noteRefusal` of a helper's declaration. */
  noteRefusal?(refresh: Refresh): Promise<void>
  /** Records for the log why an early renewal failed. No warning is printed. */
  noteUnrenewed(error: unknown): void
}

/** A call with its request and the token cache for its key, and the entries that it may be served. */
export interface CachedCall {
  readonly host: Pick<Host, 'clock'>
  readonly call: Call
  readonly request: TokenRequest
  readonly store: TokenStore
  /** `undefined` if the gateway has refused no token. */
  readonly isRefused: IsRefused | undefined
  /** The entry that was read last, if the timing of the client's calls suggests that the gateway has refused it. */
  findSuspected(): TokenEntry | undefined
  /** Reads the entry; `undefined` if a new token has to be minted, or if the entry is due for an early renewal. */
  findFresh(): Promise<TokenEntry | undefined>
  /** The entry that was read last, if it may be served but is due for an early renewal. */
  findDue(): TokenEntry | undefined
  /** The entry that was read last, if it has not expired. It is not read again, because the deadline may have passed. */
  findUnexpired(): TokenEntry | undefined
}

/** Creates one call's view of the cache: the entries that it may be served, given which tokens were refused. */
export function createCachedCall(
  host: Pick<Host, 'clock'>,
  call: Call,
  request: TokenRequest,
  store: TokenStore,
  { isRefused, isSuspected }: Doubts = {},
): CachedCall {
  let last: TokenEntry | undefined
  let suspected: TokenEntry | undefined
  const mayServe = (entry: TokenEntry) => !isSuspected?.(entry) && isFresh(entry, criteria())
  let looks = 0
  /** Compares the watched files with their state at the entry's mint. */
  const checkWatched = async ({ watched }: TokenEntry) => {
    looks += 1
    // The plan has just read the files. Before a second look, another run may have minted after a change.
    const now = looks === 1 ? request.watched?.found : await request.watched?.look()
    if (!now || !watched) return !now && !watched
    return watched.state === now.state || watched.content === (await now.readContent())
  }
  const criteria = (): FreshnessCriteria => ({
    context: call.context,
    now: host.clock.now(),
    startedAt: host.clock.startedAt,
    bootedAt: host.clock.bootedAt,
    clientTtlSec: request.clientTtlSec,
    notBefore: request.notBefore,
  })
  return {
    host,
    call,
    request,
    store,
    isRefused,
    findSuspected: () => suspected,
    findFresh: async () => {
      const entry = await store.read()
      suspected = entry && request.suspicion && (isRefused ?? isSuspected)?.(entry) ? entry : undefined
      const isGone = !entry || isRefused?.(entry) || !(await checkWatched(entry))
      last = isGone ? undefined : entry
      if (!last || !mayServe(last)) return undefined
      return isRenewalDue(last, criteria(), request.renewEarly) ? undefined : last
    },
    findDue: () => (last && mayServe(last) ? last : undefined),
    findUnexpired: () => (last && isUnexpired(last, criteria()) ? last : undefined),
  }
}

/** The reasons for which this call may not be served an entry that is fresh. */
type Doubts = Pick<RunPurpose, 'isRefused' | 'isSuspected'>

/** Converts an entry to the form that a mint returns. */
export function fromEntry({ token, expiresAt, facts, headers, minted }: TokenEntry, origin: TokenOrigin): ServedToken {
  return {
    token,
    facts,
    headers,
    origin,
    minted,
    // A getter, because the first `Date` of a process reads the time zone, which takes up to 1 ms.
    get expiresAt() {
      return new Date(expiresAt)
    },
  }
}

/** The token cache for one key. Reading never throws: a cache that cannot be used causes one warning. */
export interface TokenStore {
  readonly location: EntryLocation
  /** Reads the entry; `undefined` if the file is missing or cannot be used. */
  read(): Promise<TokenEntry | undefined>
  /** Writes an entry, and throws what {@link EntryFiles} throw. The caller must hold the key's lock. */
  write(entry: TokenEntry): Promise<void>
  /** The same cache without warnings. */
  silence(): TokenStore
  /**
   * Runs `work`, and turns an error into a warning; `undefined` after an error.
   * @param problem The beginning of the warning, before the reason.
   */
  tryOrWarn<T>(problem: string, work: () => T | Promise<T>): Promise<T | undefined>
}

/**
 * Creates the cache on disk for one key.
 * @param openFiles Called when the cache is first used; by default entries are not encrypted.
 * @param warn Called at most once: a cache that cannot be used costs time, never the credential.
 */
export function createStore(
  location: EntryLocation,
  warn: (message: string) => void,
  openFiles: () => Promise<EntryFiles> = async () => ({ read: readEntry, write: writeEntry }),
): TokenStore {
  let hasWarned = false
  let files: Promise<EntryFiles> | undefined
  const open = () => {
    files ??= openFiles()
    return files
  }
  const tryOrWarn = async <T>(problem: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!hasWarned) warn(`${problem}: ${describeReason(error, location)}`)
      hasWarned = true
      return undefined
    }
  }
  return {
    location,
    tryOrWarn,
    read: () => tryOrWarn(cacheProblem, async () => (await open()).read(location)),
    write: async (entry) => (await open()).write(location, entry),
    silence: () => createStore(location, () => {}, open),
  }
}

function describeReason(error: unknown, { directory }: Pick<EntryLocation, 'directory'>): string {
  if (error instanceof UnsafeCacheError || error instanceof HelperError) return error.message
  if (isWithoutRoom(error)) return `there is no room on the disk of ${directory} (${renderErrorCode(error)})`
  // Errors of SQLite have `errstr`, and no path.
  const { path, errstr } = error as NodeJS.ErrnoException & { errstr?: string }
  return `${errstr ?? renderErrorCode(error)}${path ? ` at ${path}` : ''}`
}

/** The form of entries on disk: in the clear, or encrypted. */
export interface EntryFiles {
  /**
   * Reads an entry; `undefined` if the file is missing.
   * @throws {UnsafeCacheError} for a file that is not an entry or that another user could have created; otherwise the system's error.
   */
  read(location: EntryLocation): Promise<TokenEntry | undefined>
  /** Writes an entry. The caller must hold the key's lock. */
  write(location: EntryLocation, entry: TokenEntry): Promise<void>
}

/** Everything that decides which token an entry holds. */
interface CacheKeyParts {
  readonly program: string
  readonly table: OptionTable
  readonly options: Readonly<Record<string, unknown>>
  /** See `inputs` of `Plan`. */
  readonly inputs: unknown
  /** The vendor decides which platform issues the token, and in which form. */
  readonly vendor: Pick<Vendor, 'envPrefix' | 'workspaceHeader' | 'keyPrefix' | 'awsService'>
}

/**
 * Computes the name of an entry: the digest of everything that decides which token it holds, then the length of the digested text, in 40
 * hexadecimal digits. No user's text becomes part of a path. A collision helps nobody: whoever can choose two inputs can also choose the
 * same input twice.
 */
export function computeCacheKey({ program, table, options, inputs, vendor }: CacheKeyParts): string {
  const chosen = Object.keys(table)
    .filter((name) => options[name] !== undefined && isPartOfKey(table, name))
    .sort()
  const facts = {
    entryFormat,
    vendor: [vendor.envPrefix, vendor.workspaceHeader, vendor.keyPrefix, vendor.awsService],
    program,
    options: chosen.map((name) => [name, options[name]]),
    inputs,
  }
  const text = JSON.stringify(facts)
  return `${digestFingerprint(text)}${text.length.toString(16).padStart(8, '0')}`
}

/** Returns whether an option can change which token is minted. */
export function isPartOfKey(table: OptionTable, name: string): boolean {
  return table[name]?.cacheKey !== 'excluded'
}
