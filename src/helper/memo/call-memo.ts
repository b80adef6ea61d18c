// Folder: memos: what a call read to compute its key, so that the next call may be answered before the whole program is loaded.

import type { OutputSettings } from '../../contract/output-format.ts'
import type { Suspicion } from '../../contract/refresh.ts'
import type { CallOutcome } from '../../outcomes/call-outcome.ts'
import { readText } from '../../runtime/disk.ts'
import { parseObject, stripMark } from '../../runtime/values/json-value.ts'
import type { EntryLocation } from '../cache/cache-files.ts'
import type { ObservedReads } from './observed-call.ts'

/**
 * The reads by which a call computed its cache key, and everything else that printing the entry needs. A later call with the
 * same arguments that finds them unchanged has the same key. A memo holds neither a secret nor the digest of one.
 */
export interface CallMemo extends ObservedReads {
  /** When the memo was written, in milliseconds since the epoch. */
  readonly made: number
  readonly expiresAt: number
  /** When the entry was minted, if watched files can void it. Only this entry is known to match the files. */
  readonly minted?: number | undefined
  /** The key of the cache entry that the call served. */
  readonly key: string
  readonly clientTtlSec: number
  readonly renewEarly: number
  readonly suspicion?: Suspicion | undefined
  readonly clientTimeoutSec: number
  readonly notBefore?: number | undefined
  /** The place of the header templates. The templates themselves may hold a secret, so they are not copied here. */
  readonly headers: HeaderOrigin
  readonly output: OutputSettings
  /** The parts of the outcome except its times; absent if no destination for outcomes is set. */
  readonly outcome?: MemoOutcome | undefined
  /** The client's context variable. It is stored here, because the beginning of a program does not load the vendor's names. */
  readonly contextVariable: string
}

/** Raised when an older version would misread a memo. */
export const memoFormat = 6

/** In milliseconds. After that a call plans again, so that memos of old settings disappear. Our decision. */
export const memoLifeMs = 24 * 3_600_000

/** Renders a memo as the text of its file, with the program and the key that it belongs to. */
export function renderMemo(memo: CallMemo, { program, key }: EntryLocation): string {
  return JSON.stringify({ format: memoFormat, calls: `${program}-${key}`, memo, expiresAt: memo.expiresAt })
}

/** The parts of an outcome that are equal in all calls of one memo. */
type MemoOutcome = Pick<CallOutcome, 'helper' | 'version' | 'format' | 'source'>

/** Parses a memo; `undefined` for another text. Only this program and version writes it, so its members are not validated one by one. */
export function parseMemo(text: string, { program, key }: EntryLocation): CallMemo | undefined {
  const value = parseObject(text)
  const isOwn = value?.format === memoFormat && value.calls === `${program}-${key}`
  return isOwn ? (value.memo as CallMemo) : undefined
}

/** The place of header templates: words of the arguments, each with a position, or a configuration file. */
export type HeaderOrigin =
  | { readonly from: 'arguments'; readonly places: readonly (readonly [index: number, begin: number])[] }
  | { readonly from: 'file'; readonly path: string }
  /** The answer has no headers, not even those of the source. */
  | { readonly from: 'nowhere' }

/** Reads the templates from their place. The file is known to be unchanged. */
export async function readHeaderTexts(origin: HeaderOrigin, argv: readonly string[]): Promise<readonly string[]> {
  if (origin.from === 'arguments') return origin.places.map(([index, begin]) => argv[index]!.slice(begin))
  if (origin.from === 'nowhere') return []
  const text = await readText(origin.path)
  return parseObject(stripMark(text))?.header as readonly string[] // an earlier call has validated it
}
