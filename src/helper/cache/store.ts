// Folder: kept tokens on disk: key, entry, when an entry may be served, and to which client processes it was handed.

import type { TokenOrigin } from '../../outcomes/call-outcome.ts'
import { HelperError } from '../../runtime/failure.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { UnsafeCacheError } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { Caller } from '../../runtime/program/digest-caller.ts'
import type { Vendor } from '../../vendor/setting.ts'
import type { Call, MintedToken, Refresh, UsedAssertions, WatchedFiles } from '../define-helper.ts'
import type { OptionTable } from '../options/option-table.ts'
import { cacheProblem, type EntryLocation } from './cache-files.ts'
import { entryFormat, readEntry, type TokenEntry, type WatchedState, writeEntry } from './entry.ts'
import type { AskedToken, IsRefused, RunPurpose } from './find-refusal.ts'
import { type FreshnessCriteria, isFresh, isRenewalDue, isUnexpired } from './freshness.ts'

/** A token, and where it came from. */
export interface ServedToken extends MintedToken {
  readonly origin: TokenOrigin
  /** When a token from the cache was minted, in milliseconds since the epoch. */
  readonly minted?: number | undefined
  /** How the watched files were before and after the mint; absent where none are, or they could not be read. */
  readonly watched?: { readonly before: WatchedState; readonly after: WatchedState } | undefined
}

/** A run's request to the token cache. */
export interface TokenRequest extends AskedToken {
  readonly program: string
  readonly key: string
  readonly cache: 'disk' | 'keychain' | 'none'
  /** See the option of that name. */
  readonly renewEarly: number
  /** Whether the client is told when the token ends, so that it does not keep it for longer. */
  readonly isEndTold?: boolean | undefined
  /** The longest ttl that suits the helper's tokens, where it says so. */
  readonly longestTtlSec?: number | undefined
  /** Milliseconds since the epoch: earlier entries do not count. */
  readonly notBefore: number | undefined
  /** The values besides the key that decide how a mint fails: runs of equal callers share a failure. */
  readonly caller: Caller
  /** Files whose change voids the entry; `undefined` where none are watched. */
  readonly watched?: WatchedFiles | undefined
  /** The steps by which the token is made, in words, for `gatepass cache list`. */
  readonly uses: readonly string[]
  /** @param call Who may be asked, and how long it may take. */
  mint(usedAssertions: UsedAssertions, call: Call): Promise<MintedToken>
  /** Records for the log what a refresh is for. */
  noteRefresh(refresh: Refresh): void
  /** See `noteRefusal` of a helper's declaration. */
  noteRefusal?(refresh: Refresh): Promise<void>
  /** Records for the log why a token was not renewed early; nobody else is told. */
  noteUnrenewed(error: unknown): void
}

/** A call, and the token cache for its key. */
export interface CachedCall {
  readonly host: Pick<Host, 'clock'>
  readonly call: Call
  readonly request: TokenRequest
  readonly store: TokenStore
  /** `undefined` where no token was refused. */
  readonly isRefused: IsRefused | undefined
  /** The entry as it was last read, if the rhythm of the client's calls says that it was refused. */
  findSuspected(): TokenEntry | undefined
  /** Reads the entry; `undefined` if it may not be served in place of a new token, or this machine renews it early. */
  findFresh(): Promise<TokenEntry | undefined>
  /** The entry as it was last read, if it may be served although this machine renews it early. */
  findDue(): TokenEntry | undefined
  /** The entry as it was last read, if it has not expired: after the deadline there is no time to read it again. */
  findUnexpired(): TokenEntry | undefined
}

/** Creates the view of the cache that one call has: which entries it may serve, with what it knows of refused tokens. */
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
  /** Looks whether the watched files are as they were when the entry was minted. */
  const checkWatched = async ({ watched }: TokenEntry) => {
    looks += 1
    // The plan has just looked at them. Later another run may have minted, after a change.
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

/** The doubts that make an entry unfit for this call, although it is fresh. */
type Doubts = Pick<RunPurpose, 'isRefused' | 'isSuspected'>

/** Gives the token of an entry in the form in which a mint gives one. */
export function fromEntry({ token, expiresAt, facts, headers, minted }: TokenEntry, origin: TokenOrigin): ServedToken {
  return {
    token,
    facts,
    headers,
    origin,
    minted,
    // On use, because the first `Date` of a process reads the time zone, which takes up to 1 ms.
    get expiresAt() {
      return new Date(expiresAt)
    },
  }
}

/** The token cache for one key. Nothing here throws: a cache that cannot be used causes one warning. */
export interface TokenStore {
  readonly location: EntryLocation
  /** The entry; `undefined` where there is none that can be used. */
  read(): Promise<TokenEntry | undefined>
  /** Writes an entry, and throws what {@link EntryFiles} throw. Only for the holder of the key's lock. */
  write(entry: TokenEntry): Promise<void>
  /** The store for work of whose failure nobody is told. */
  silence(): TokenStore
  /**
   * Does work that may fail; `undefined` where it did.
   * @param problem What the warning says then, before the reason.
   */
  tryOrWarn<T>(problem: string, work: () => T | Promise<T>): Promise<T | undefined>
}

/**
 * The cache on disk.
 * @param openFiles Opened on use; entries stand as they are where nothing else is said.
 * @param warn Called once at most: a cache that cannot be used costs time, never the credential.
 */
export function createStore(
  location: EntryLocation,
  warn: (message: string) => void,
  openFiles: () => Promise<EntryFiles> = openPlainFiles,
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
      if (!hasWarned) warn(`${problem}: ${describeReason(error)}`)
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

async function openPlainFiles(): Promise<EntryFiles> {
  return { read: readEntry, write: writeEntry }
}

function describeReason(error: unknown): string {
  if (error instanceof UnsafeCacheError || error instanceof HelperError) return error.message
  // Errors of SQLite have `errstr`, and no path.
  const { code, path, errstr } = error as NodeJS.ErrnoException & { errstr?: string }
  return `${errstr ?? code ?? 'unknown error'}${path ? ` at ${path}` : ''}`
}

/** How entries are kept on disk: as they are, or sealed. */
export interface EntryFiles {
  /**
   * Reads an entry; `undefined` where there is none.
   * @throws {UnsafeCacheError} for a file that another user could have created or that is no entry, or why it cannot be read.
   */
  read(location: EntryLocation): Promise<TokenEntry | undefined>
  /** Writes an entry. Only for the holder of the key's lock. */
  write(location: EntryLocation, entry: TokenEntry): Promise<void>
}

/** The parts of the key of an entry. */
export interface CacheKeyParts {
  readonly program: string
  readonly table: OptionTable
  readonly options: Readonly<Record<string, unknown>>
  /** The plan's inputs. */
  readonly inputs: unknown
  /** For another vendor another platform is asked, or in another form. */
  readonly vendor: Pick<Vendor, 'envPrefix' | 'workspaceHeader' | 'keyPrefix' | 'awsService'>
}

/**
 * The name of an entry: a digest of everything that decides which token it is, with its length, 40 hexadecimal digits. No text of a
 * user becomes part of a path. Somebody who can choose two inputs with one digest can as well choose one input twice.
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

/** Whether an option can change which token is minted. */
export function isPartOfKey(table: OptionTable, name: string): boolean {
  return table[name]?.cacheKey !== 'excluded'
}
