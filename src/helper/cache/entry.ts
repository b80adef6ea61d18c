// Holds the form of a cached token, and reads and writes its file in the clear; `sealed-files.ts` encrypts it.

import { everyContext, type HelperContext } from '../../contract/context.ts'
import { computeEarlyFraction } from '../../contract/freshness.ts'
import type { Headers } from '../../contract/headers.ts'
import { attemptUnlessMissing } from '../../runtime/disk.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import {
  readCacheFile,
  refuseSharedDirectory,
  UnsafeCacheError,
  writeByDraft,
} from '../../runtime/files/private-files.ts'
import { Secret } from '../../runtime/secret.ts'
import { isObject, isTextList, parseObject } from '../../runtime/values/json-value.ts'
import type { MintedToken } from '../define-helper.ts'
import { type EntryLocation, toCacheFilePath } from './cache-files.ts'

/** A token in the cache, and the circumstances of its mint. Times are milliseconds since the epoch. */
export interface TokenEntry {
  readonly token: Secret
  /** See `digestToken`; absent if an older version wrote the entry. */
  readonly digest?: string | undefined
  /** When the token expires, by this machine's clock at the mint. */
  readonly expiresAt: number
  /** The source's clock minus this machine's clock; 0 if they agreed, or if the source's answer had no time. */
  readonly clockOffsetMs: number
  readonly minted: number
  /** When the machine started, by its clock at the mint. If the start is earlier now, the clock was set back. */
  readonly bootedAt: number | undefined
  readonly context: HelperContext
  readonly facts: Readonly<Record<string, string>>
  /** The headers that the source gave with the token. */
  readonly headers?: Headers | undefined
  /**
   * The share of the longest early-renewal time that applies to this entry, at least 0 and less than 1, so that many machines do not renew
   * at once; absent if an older version wrote the entry.
   */
  readonly earlyFraction?: number | undefined
  /** The state of the files whose change voids the entry; absent if no file is watched. */
  readonly watched?: WatchedState | undefined
  /** The plan's steps for people, one a line. */
  readonly uses: readonly string[]
}

/** The state of the watched files when a token was minted. */
export interface WatchedState {
  /** A digest of their contents. */
  readonly content: string
  /** A digest of their sizes and times; absent if a file changed so recently that a further change might keep both. */
  readonly state?: string | undefined
  /** Whether the files changed during the mint. */
  readonly isRewritten: boolean
}

/** Raised when an older version would misread an entry. The number is part of the key, so that versions do not share entries. */
export const entryFormat = 2

/** Creates the entry for a new token; `undefined` if the token's expiry is not known. */
export function toEntry(
  { token, expiresAt, clockOffsetMs = 0, facts, headers }: MintedToken,
  {
    now,
    ...circumstances
  }: Pick<TokenEntry, 'digest' | 'context' | 'bootedAt' | 'earlyFraction' | 'watched' | 'uses'> & {
    readonly now: number
  },
): TokenEntry | undefined {
  if (!expiresAt) return undefined
  const times = { expiresAt: expiresAt.getTime(), clockOffsetMs, minted: now }
  return { token, ...times, facts, headers, ...circumstances }
}

/**
 * Computes the share of the longest early-renewal time that applies to one token: at least 0, less than 1. The shares of many machines, of
 * many entries and of many tokens are spread evenly.
 * @param machine The machine's name.
 * @param minted In milliseconds since the epoch.
 */
export function computeEntryFraction(
  machine: string,
  { directory, program, key }: EntryLocation,
  minted: number,
): number {
  const entry = [machine, directory, program, key]
  return computeEarlyFraction(toFraction(entry), toFraction([...entry, minted]))
}

function toFraction(parts: readonly (string | number)[]): number {
  return Number.parseInt(digestFingerprint(JSON.stringify(parts)).slice(0, fractionDigits), 16) / 16 ** fractionDigits
}

/** In hexadecimal digits: a millionth is finer than one second of a token's life, and the digest is too short to identify a machine. */
const fractionDigits = 5

/** The helper and the key that an entry belongs to. */
type EntryKey = Pick<EntryLocation, 'program' | 'key'>

/**
 * Renders an entry as the text of its file. The text contains the helper and the key, so that a copy under another key's name is not
 * served.
 */
export function renderEntry({ token, ...shown }: TokenEntry, of: EntryKey): string {
  return JSON.stringify({ format: entryFormat, key: nameKey(of), ...shown, token: token.reveal() })
}

/** Parses the text of an entry; `undefined` unless it has this format and belongs to this key. */
export function parseEntry(text: string, of: EntryKey): TokenEntry | undefined {
  const value = parseObject(text)
  return value?.format === entryFormat && value.key === nameKey(of) ? parseEntryParts(value) : undefined
}

/** Parses the members of an entry; `undefined` if one is missing or has the wrong type. */
export function parseEntryParts(value: Readonly<Record<string, unknown>>): TokenEntry | undefined {
  const { token, digest, expiresAt, clockOffsetMs, minted, bootedAt, context, facts, headers, earlyFraction, uses } =
    value
  const { watched } = value
  const contexts: readonly unknown[] = everyContext
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

/**
 * Parses the expiry of an entry or of an assertion record, in the format of any version, so that each version removes the expired files of
 * the others. `undefined` if the text has no expiry.
 */
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

function isTextRecord(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((item) => typeof item === 'string')
}

function isFraction(value: unknown): value is number {
  return isNumber(value) && value >= 0 && value < 1
}

function isWatchedState(value: unknown): value is WatchedState {
  const { content, state, isRewritten }: Record<string, unknown> = Object(value)
  if (state !== undefined && typeof state !== 'string') return false
  return typeof content === 'string' && typeof isRewritten === 'boolean'
}

/**
 * Reads an entry; `undefined` if the file is missing.
 * @throws {UnsafeCacheError} for a file that another user could have created, or that is not an entry of this key; otherwise the system's
 * error.
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

/** Writes an entry without encryption; see {@link writeEntryText}. */
export async function writeEntry(location: EntryLocation, entry: TokenEntry): Promise<void> {
  await writeEntryText(location, renderEntry(entry, location), 'entry')
}

/** Writes an entry's text as {@link writeByDraft} does. The caller must hold the key's lock. */
export async function writeEntryText(location: EntryLocation, text: string, kind: 'entry' | 'sealed'): Promise<void> {
  const paths = { path: toCacheFilePath(location, kind), draft: toCacheFilePath(location, 'draft') }
  await writeByDraft(paths, (file) => file.writeFile(text))
}
