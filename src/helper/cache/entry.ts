import { open, rename, rm } from 'node:fs/promises'
import { type HelperContext, helperContexts } from '../../contract/context.ts'
import type { Headers } from '../../contract/headers.ts'
import { attemptUnlessMissing } from '../../runtime/disk.ts'
import { readCacheFile, refuseSharedDirectory, UnsafeCacheError } from '../../runtime/files/private-files.ts'
import { Secret } from '../../runtime/secret.ts'
import { isObject, isTextList, parseObject } from '../../runtime/values/json-value.ts'
import type { MintedToken } from '../define-helper.ts'
import { type EntryLocation, toCacheFilePath } from './cache-files.ts'

/** A token in the cache, with when, why and from what it was minted. Times are milliseconds since the epoch. */
export interface TokenEntry {
  readonly token: Secret
  /** See `digestToken`; absent where an older version wrote it. */
  readonly digest?: string | undefined
  /** When the token expires, by this machine's clock as it was at the mint. */
  readonly expiresAt: number
  /** The source's clock less this machine's; 0 where they agreed, or the source did not tell the time. */
  readonly clockOffsetMs: number
  readonly minted: number
  /** When the machine started, by its clock as it was then: an earlier start now means that the clock was set back. */
  readonly bootedAt: number | undefined
  readonly context: HelperContext
  readonly facts: Readonly<Record<string, string>>
  /** The headers that the source gave with the token. */
  readonly headers?: Headers | undefined
  /** The part of the longest time by which it is renewed early: at least 0, less than 1; 0 if an older version wrote it. */
  readonly earlyFraction?: number | undefined
  /** The files whose change voids it; absent where none are watched. */
  readonly watched?: WatchedState | undefined
  /** The steps by which it was minted, in words, one a line. */
  readonly uses: readonly string[]
}

/** How watched files were when a token was minted. */
export interface WatchedState {
  /** A digest of what was in them. */
  readonly content: string
  /** A digest of their sizes and times, where any change moves one of these. */
  readonly state?: string | undefined
  /** Whether they changed meanwhile. */
  readonly isRewritten: boolean
}

/** Raised whenever an older version would misread an entry. Part of the key, so that versions do not share entries. */
export const entryFormat = 2

/** The entry of a new token; `undefined` where its expiry is not known. */
export function toEntry(
  { token, expiresAt, clockOffsetMs = 0, facts, headers }: MintedToken,
  {
    now,
    ...rest
  }: Pick<TokenEntry, 'digest' | 'context' | 'bootedAt' | 'earlyFraction' | 'watched' | 'uses'> & {
    readonly now: number
  },
): TokenEntry | undefined {
  if (!expiresAt) return undefined
  const times = { expiresAt: expiresAt.getTime(), clockOffsetMs, minted: now }
  return { token, ...times, facts, headers, ...rest }
}

/** The key that an entry is for. */
type EntryKey = Pick<EntryLocation, 'program' | 'key'>

/** An entry as the text of its file. It names its key, so that a copy in another one's place is not served. */
export function renderEntry({ token, ...rest }: TokenEntry, of: EntryKey): string {
  return JSON.stringify({ format: entryFormat, key: nameKey(of), ...rest, token: token.reveal() })
}

/** Reads the file of a key's entry; `undefined` for anything but an entry of this format and of this key. */
export function parseEntry(text: string, of: EntryKey): TokenEntry | undefined {
  const value = parseObject(text)
  return value?.format === entryFormat && value.key === nameKey(of) ? parseEntryParts(value) : undefined
}

/** Reads the parts of an entry; `undefined` where one of them is missing or of another type. */
export function parseEntryParts(value: Readonly<Record<string, unknown>>): TokenEntry | undefined {
  const { token, digest, expiresAt, clockOffsetMs, minted, bootedAt, context, facts, headers, earlyFraction, uses } =
    value
  const { watched } = value
  const contexts: readonly unknown[] = [...helperContexts, 'terminal', 'unknown']
  if (typeof token !== 'string' || !isNumber(expiresAt) || !isNumber(clockOffsetMs) || !isNumber(minted))
    return undefined
  if (bootedAt !== undefined && !isNumber(bootedAt)) return undefined
  if (digest !== undefined && typeof digest !== 'string') return undefined
  if (!contexts.includes(context) || !isTextRecord(facts) || !isTextList(uses)) return undefined
  if (headers !== undefined && !isTextRecord(headers)) return undefined
  if (earlyFraction !== undefined && !isFraction(earlyFraction)) return undefined
  if (watched !== undefined && !isWatchedState(watched)) return undefined
  return {
    token: new Secret(token),
    digest,
    expiresAt,
    clockOffsetMs,
    minted,
    bootedAt,
    context: context as HelperContext, // one of the list, as checked
    facts,
    headers,
    earlyFraction,
    watched,
    uses,
  }
}

/** Reads when an entry or record of any version expires, so that each version removes those of the others; `undefined` for anything else. */
export function parseExpiry(text: string): number | undefined {
  const expiry = parseObject(text)?.expiresAt
  return isNumber(expiry) ? expiry : undefined
}

function nameKey({ program, key }: EntryKey): string {
  return `${program}-${key}`
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isWatchedState(value: unknown): value is WatchedState {
  const { content, state, isRewritten }: Record<string, unknown> = Object(value)
  if (state !== undefined && typeof state !== 'string') return false
  return typeof content === 'string' && typeof isRewritten === 'boolean'
}

function isFraction(value: unknown): value is number {
  return isNumber(value) && value >= 0 && value < 1
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((item) => typeof item === 'string')
}

/**
 * Reads an entry; `undefined` where there is none.
 * @throws {UnsafeCacheError} for a file that another user could have created, that is no entry or one of another key, or the system's error.
 */
export function readEntry(location: EntryLocation): Promise<TokenEntry | undefined> {
  return attemptUnlessMissing(requireEntry(location))
}

async function requireEntry(location: EntryLocation): Promise<TokenEntry> {
  const path = toCacheFilePath(location, 'entry')
  const file = readCacheFile(path)
  file.catch(() => undefined) // a problem with the directory is reported first
  await refuseSharedDirectory(location.directory)
  const entry = parseEntry(await file, location)
  if (entry) return entry
  throw new UnsafeCacheError(`${path} is not an entry of this version and key; it is replaced by the next token`)
}

/** Writes an entry as it is; see {@link writeEntryText}. */
export async function writeEntry(location: EntryLocation, entry: TokenEntry): Promise<void> {
  await writeEntryText(location, renderEntry(entry, location), 'entry')
}

/**
 * Writes an entry beside its target and renames it, so that a concurrent reader sees the old entry or the new one. Only for
 * the holder of the key's lock: an existing draft was left by a process that died.
 * @throws the system's error, for example `ENOSPC`; no partial file is left then.
 */
export async function writeEntryText(location: EntryLocation, text: string, kind: 'entry' | 'sealed'): Promise<void> {
  const draft = toCacheFilePath(location, 'draft')
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(text).finally(() => file.close())
    await rename(draft, toCacheFilePath(location, kind))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
