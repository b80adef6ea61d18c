import type { OutputFormat } from '../../contract/formats/output-format.ts'
import type { AllowableHeader } from '../../contract/headers.ts'
import type { CallOutcome } from '../../runtime/outcome/call-outcome.ts'
import { parseObject } from '../../runtime/parse-object.ts'
import type { HeaderOrigin } from './header-origin.ts'
import type { SeenFile } from './seen-file.ts'
import type { SeenVariables } from './seen-variables.ts'

/**
 * What a call has read to find the key of its entry, and what else it needs to print that. A later call with the same arguments that
 * finds all of it unchanged would find the same key. No secret is in it, and no digest of one.
 */
export interface CallMemo {
  /** In milliseconds since the epoch. */
  readonly made: number
  readonly expiresAt: number
  readonly variables: SeenVariables
  readonly files: readonly SeenFile[]
  /** The key of the entry. */
  readonly key: string
  readonly clientTtlSec: number
  readonly renewEarly: number
  readonly clientTimeoutSec: number
  readonly notBefore?: number | undefined
  readonly format: OutputFormat
  /** Where the header templates are; they themselves may hold a secret. */
  readonly headers: HeaderOrigin
  readonly allowHeader?: AllowableHeader | undefined
  /** What operations are told, beside the times; absent where they are not told. */
  readonly outcome?: MemoOutcome | undefined
  /** What of the vendor's names the answer depends on: the beginning of a program does not know them. */
  readonly names: MemoNames
}

/** See {@link CallMemo}. */
interface MemoNames {
  readonly contextVariable: string
  /** The headers that only the client may set. */
  readonly ownHeaders: readonly string[]
}

/** Of a call that is served from the cache. */
export type MemoOutcome = Pick<CallOutcome, 'helper' | 'version' | 'format' | 'source'>

/** Raised whenever an older version would misread a memo. */
export const memoFormat = 3

/** In milliseconds. Then a call plans once more, so that memos of old settings go. Our decision. */
export const memoLifeMs = 24 * 3_600_000

/** A memo as the text of its file. */
export function renderMemo(memo: CallMemo): string {
  return JSON.stringify({ format: memoFormat, memo, expiresAt: memo.expiresAt })
}

/** Reads a memo's file; `undefined` for anything but a memo of this format. Only this program and version writes it. */
export function parseMemo(text: string): CallMemo | undefined {
  const value = parseObject(text)
  return value?.format === memoFormat ? (value.memo as CallMemo) : undefined
}
