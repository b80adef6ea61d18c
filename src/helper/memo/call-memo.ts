// Folder: what a call has read to find its key, kept so that the next call may be answered before the rest of the program is loaded.

import type { AllowableHeader } from '../../contract/headers.ts'
import type { OutputFormat } from '../../contract/output-format.ts'
import type { Suspicion } from '../../contract/refresh.ts'
import type { CallOutcome } from '../../outcomes/call-outcome.ts'
import { readText } from '../../runtime/disk.ts'
import type { SeenProgram } from '../../runtime/program/find-program-file.ts'
import { parseObject, stripMark } from '../../runtime/values/json-value.ts'
import type { EntryLocation } from '../cache/cache-files.ts'
import type { ResolvedOption } from '../options/resolve-options.ts'
import type { SeenFile, SeenVariables } from './seen-file.ts'

/**
 * The reads by which a call found the key of its entry, and everything else that printing the entry needs. A later call with the
 * same arguments that finds all of it unchanged would find the same key. It holds neither a secret nor the digest of one.
 */
export interface CallMemo {
  /** In milliseconds since the epoch. */
  readonly made: number
  readonly expiresAt: number
  readonly variables: SeenVariables
  readonly files: readonly SeenFile[]
  readonly programs: readonly SeenProgram[]
  /** When the entry was minted, where watched files void it: only of that one it is known that it was minted with these. */
  readonly minted?: number | undefined
  /** The key of the cache entry that the call served. */
  readonly key: string
  readonly clientTtlSec: number
  readonly renewEarly: number
  /** When a further run by the same process of the client says that its token was refused; absent if that means nothing. */
  readonly suspicion?: Suspicion | undefined
  readonly clientTimeoutSec: number
  readonly notBefore?: number | undefined
  readonly format: OutputFormat
  /** The locations of the header templates, which themselves may hold a secret. */
  readonly headers: HeaderOrigin
  readonly allowHeader?: AllowableHeader | undefined
  /** The parts of the outcome beside the times; absent where operations are not told. */
  readonly outcome?: MemoOutcome | undefined
  /** The vendor's names on which the answer depends: the beginning of a program does not know them. */
  readonly names: MemoNames
}

/** Raised whenever an older version would misread a memo. */
export const memoFormat = 5

/** In milliseconds. Then a call plans once more, so that memos of old settings go. Our decision. */
export const memoLifeMs = 24 * 3_600_000

/** A memo as the text of its file. Like an entry it names what it is for. */
export function renderMemo(memo: CallMemo, { program, key }: EntryLocation): string {
  return JSON.stringify({ format: memoFormat, calls: `${program}-${key}`, memo, expiresAt: memo.expiresAt })
}

interface MemoNames {
  readonly contextVariable: string
  /** The headers that only the client may set. */
  readonly ownHeaders: readonly string[]
}

/** The outcome of a call that is served from the cache. */
type MemoOutcome = Pick<CallOutcome, 'helper' | 'version' | 'format' | 'source'>

/** Reads the memo of a program's calls; `undefined` for anything else. Only this program and version writes it. */
export function parseMemo(text: string, { program, key }: EntryLocation): CallMemo | undefined {
  const value = parseObject(text)
  const isOwn = value?.format === memoFormat && value.calls === `${program}-${key}`
  return isOwn ? (value.memo as CallMemo) : undefined
}

/** The locations of header templates: in the arguments, each with the position in its word, or in a configuration file. */
type HeaderOrigin =
  | { readonly from: 'arguments'; readonly places: readonly (readonly [index: number, begin: number])[] }
  | { readonly from: 'file'; readonly path: string }
  /** Headers are left out, those of the source too. */
  | { readonly from: 'nowhere' }

/** The location of the option's value; `undefined` if it cannot be read from there again. */
export function findHeaderOrigin({ value, origin }: ResolvedOption, argv: readonly string[]): HeaderOrigin | undefined {
  const texts = (value ?? []) as readonly string[] // the option's kind is a list
  if (texts.length === 0) return { from: 'arguments', places: [] }
  if (origin.startsWith('variable ')) return undefined
  if (origin !== 'argument') return { from: 'file', path: origin.replace(/^locked by /, '') }
  const places = texts.map((text) => findPosition(text, argv))
  return places.every((position) => position !== undefined) ? { from: 'arguments', places } : undefined
}

function findPosition(text: string, argv: readonly string[]): readonly [number, number] | undefined {
  const index = argv.findIndex(
    (word, at) => word === `--header=${text}` || (word === text && argv[at - 1] === '--header'),
  )
  return index < 0 ? undefined : [index, argv[index]!.length - text.length]
}

/** The templates, from where they were found. The file has not changed since then. */
export async function readHeaderTexts(origin: HeaderOrigin, argv: readonly string[]): Promise<readonly string[]> {
  if (origin.from === 'arguments') return origin.places.map(([index, begin]) => argv[index]!.slice(begin))
  if (origin.from === 'nowhere') return []
  const text = await readText(origin.path)
  return parseObject(stripMark(text))?.header as readonly string[] // as it was parsed before
}
