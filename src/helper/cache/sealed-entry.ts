// Renders and parses the text of an encrypted entry; `sealed-files.ts` reads and writes its file.

import type { KeyObject } from 'node:crypto'
import { readCacheFile } from '../../runtime/files/private-files.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { createSealed, decodeSealed } from '../../sources/keychain/seal.ts'
import { type EntryLocation, toCacheFilePath } from './cache-files.ts'
import { entryFormat, parseEntry, parseEntryParts, readEntry, renderEntry, type TokenEntry } from './entry.ts'

/** The part of an entry that is not encrypted: everything except the token, its facts, its headers and the state of the watched files. */
export type EntryOutline = Omit<TokenEntry, 'token' | 'facts' | 'headers' | 'watched'>

/**
 * Renders an entry as the text of its file: the outline in the clear, and the whole entry encrypted. The ciphertext is bound to the file's
 * name, so that no part of an entry can be exchanged.
 */
export function renderSealedEntry(entry: TokenEntry, key: KeyObject, location: EntryLocation): string {
  const sealed = createSealed(renderEntry(entry, location), key, toPurpose(location))
  return JSON.stringify({ sealedFormat: entryFormat, ...toOutline(entry), sealed })
}

/** Decrypts an entry; `undefined` unless it has this format and was encrypted with this key for this name. */
export function parseSealedEntry(text: string, key: KeyObject, location: EntryLocation): TokenEntry | undefined {
  const value = parseObject(text)
  if (value?.sealedFormat !== entryFormat || typeof value.sealed !== 'string') return undefined
  const opened = decodeSealed(value.sealed, key, toPurpose(location))
  return opened === undefined ? undefined : parseEntry(opened, location)
}

/**
 * Reads the outline of an entry of this kind; `undefined` if the file is not an entry. The outline of an
 * encrypted entry is not authenticated.
 * @throws {UnsafeCacheError}, or the system's error.
 */
export async function readOutline(
  location: EntryLocation,
  kind: 'entry' | 'sealed',
): Promise<EntryOutline | undefined> {
  if (kind === 'entry') return readEntry(location)
  return parseEntryOutline(await readCacheFile(toCacheFilePath(location, kind)))
}

/** Parses the outline of an encrypted entry; `undefined` for any other text. */
function parseEntryOutline(text: string): EntryOutline | undefined {
  const { sealedFormat, sealed, ...outline } = parseObject(text) ?? {}
  if (sealedFormat !== entryFormat || typeof sealed !== 'string') return undefined
  const entry = parseEntryParts({ ...outline, token: '', facts: {} })
  return entry && toOutline(entry)
}

/** Selects by name what may stand in the clear, so that a further member of an entry is encrypted. */
function toOutline(entry: TokenEntry): EntryOutline {
  const { digest, expiresAt, clockOffsetMs, minted, bootedAt, context, earlyFraction, uses } = entry
  return { digest, expiresAt, clockOffsetMs, minted, bootedAt, context, earlyFraction, uses }
}

function toPurpose({ program, key }: EntryLocation): string {
  return `gatepass cache ${program} ${key}`
}
