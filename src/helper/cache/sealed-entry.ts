import type { KeyObject } from 'node:crypto'
import { parseObject } from '../../runtime/values/json-value.ts'
import { createSealed, decodeSealed } from '../../sources/keychain/seal.ts'
import type { EntryLocation } from './cache-files.ts'
import { entryFormat, parseEntry, parseEntryParts, renderEntry, type TokenEntry } from './entry.ts'

/** The part of an entry that is not encrypted: everything except the token, its facts, its headers and the state of the watched files. */
export type EntryOutline = Omit<TokenEntry, 'token' | 'facts' | 'headers' | 'watched'>

/**
 * Renders an entry as the text of its file: the outline in the clear, and the whole entry encrypted. The ciphertext is bound to the file's
 * name, so that no part of an entry can be exchanged.
 */
export function renderSealedEntry(entry: TokenEntry, key: KeyObject, location: EntryLocation): string {
  const { token: _, facts: __, headers: ___, watched: ____, ...outline } = entry
  const sealed = createSealed(renderEntry(entry, location), key, toPurpose(location))
  return JSON.stringify({ sealedFormat: entryFormat, ...outline, sealed })
}

/** Decrypts an entry; `undefined` unless it has this format and was encrypted with this key for this name. */
export function parseSealedEntry(text: string, key: KeyObject, location: EntryLocation): TokenEntry | undefined {
  const value = parseObject(text)
  if (value?.sealedFormat !== entryFormat || typeof value.sealed !== 'string') return undefined
  const opened = decodeSealed(value.sealed, key, toPurpose(location))
  return opened === undefined ? undefined : parseEntry(opened, location)
}

/** Parses the outline, for lists. The outline is not authenticated. */
export function parseEntryOutline(text: string): EntryOutline | undefined {
  const { sealedFormat, sealed, ...outline } = parseObject(text) ?? {}
  if (sealedFormat !== entryFormat || typeof sealed !== 'string') return undefined
  const entry = parseEntryParts({ ...outline, token: '', facts: {} })
  if (!entry) return undefined
  const { token: _, facts: __, headers: ___, ...known } = entry
  return known
}

function toPurpose({ program, key }: EntryLocation): string {
  return `gatepass cache ${program} ${key}`
}
