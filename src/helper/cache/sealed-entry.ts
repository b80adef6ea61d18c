import type { KeyObject } from 'node:crypto'
import { parseObject } from '../../runtime/parse-object.ts'
import { decodeSealed, encodeSealed } from '../../sources/keychain/sealing/seal.ts'
import type { EntryLocation } from './directory.ts'
import { entryFormat, parseEntry, renderEntry, type TokenEntry } from './entry.ts'

/** What can be read of an entry without its key: everything but the token, its facts and its headers. */
export type EntryOutline = Omit<TokenEntry, 'token' | 'facts' | 'headers'>

/**
 * An entry as the text of its file, of which only the outline is not sealed. The whole entry is, so that no part of one can be
 * exchanged; it is sealed for its own name.
 */
export function renderSealedEntry(entry: TokenEntry, key: KeyObject, location: EntryLocation): string {
  const { token: _, facts: __, headers: ___, ...outline } = entry
  const sealed = encodeSealed(renderEntry(entry), key, toPurpose(location))
  return JSON.stringify({ sealedFormat: entryFormat, ...outline, sealed })
}

/** Opens an entry; `undefined` for anything but one of this format, key and name. */
export function parseSealedEntry(text: string, key: KeyObject, location: EntryLocation): TokenEntry | undefined {
  const value = parseObject(text)
  if (value?.sealedFormat !== entryFormat || typeof value.sealed !== 'string') return undefined
  const opened = decodeSealed(value.sealed, key, toPurpose(location))
  return opened === undefined ? undefined : parseEntry(opened)
}

/** Reads what is not sealed, for lists; nobody has vouched for it. */
export function parseEntryOutline(text: string): EntryOutline | undefined {
  const { sealedFormat, sealed, ...outline } = parseObject(text) ?? {}
  if (sealedFormat !== entryFormat || typeof sealed !== 'string') return undefined
  const entry = parseEntry(JSON.stringify({ ...outline, format: entryFormat, token: '', facts: {} }))
  if (!entry) return undefined
  const { token: _, facts: __, headers: ___, ...known } = entry
  return known
}

function toPurpose({ program, key }: EntryLocation): string {
  return `gatepass cache ${program} ${key}`
}
