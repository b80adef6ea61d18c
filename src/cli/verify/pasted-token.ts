// Decodes a pasted text, and removes what people copy with a token; `read-found.ts` finds the token in other forms.

import { isPlaceholder } from '../../contract/api-keys.ts'
import type { Headers } from '../../contract/headers.ts'
import { limits } from '../../contract/limits.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import { decodeText, findUtf16Encoding, hasUtf8Mark } from '../../runtime/text/decode-text.ts'
import { detectTokenKind } from '../../runtime/tokens/token-kind.ts'

/** Decodes UTF-8 and UTF-16. @throws {HelperError} `usage` for anything else. */
export function decodeInput(bytes: Uint8Array): { readonly text: string; readonly notes: readonly string[] } {
  const text = decodeText(bytes)
  if (text === undefined)
    throw rejectInput('is not text: its bytes are not UTF-8', 'give the token as text, as it is sent')
  if (findUtf16Encoding(bytes))
    return { text, notes: ['it was UTF-16, as PowerShell writes files; no client reads that'] }
  return { text, notes: hasUtf8Mark(bytes) ? ['it began with a byte order mark, which is not part of the token'] : [] }
}

/** A token, and the form around it. */
export interface FoundToken {
  readonly token: Secret
  /** The pasted headers next to the token. */
  readonly headers: Headers
  readonly shape?: string
  /** The end of the token in the output, in epoch milliseconds, and its member. */
  readonly stated?: { readonly source: string; readonly at: number }
  /** Notes about removed text around the token, and about how a client reads the output. */
  readonly notes: readonly string[]
}

/**
 * Makes the failure for an input that is not a token.
 * @param problem Continues "what was given", and repeats nothing of the input.
 */
export function rejectInput(problem: string, hint: string): HelperError {
  return new HelperError('usage', `what was given ${problem}`, hint)
}

/** A token without the text that was copied with it. */
interface Stripped {
  readonly token: string
  /** Notes on the text that was removed. */
  readonly notes: readonly string[]
}

/**
 * Removes text that people copy with a token: quotes, `Bearer`, the name of a variable, invisible characters, the line breaks of a
 * terminal.
 * @throws {HelperError} `usage` for text that is not a token; the message repeats nothing of it.
 */
export function stripPaste(pasted: string): Stripped {
  // Twice the limit, because a long token may be split into short lines.
  if (Buffer.byteLength(pasted) > 2 * limits.tokenBytes) throw rejectLong()
  const notes: string[] = []
  let text = pasted.trim()
  for (let last = ''; last !== text; ) {
    last = text
    for (const { pattern, note } of wrappings) {
      const inner = text.replace(pattern, '$<inner>').trim()
      if (inner !== text && !notes.includes(note)) notes.push(note)
      text = inner
    }
  }
  const joined = joinLines(text)
  refuseOther(joined.token)
  return { token: joined.token, notes: [...notes, ...joined.notes] }
}

/** The text that may surround a token, with the note for its removal. */
const wrappings: readonly { readonly pattern: RegExp; readonly note: string }[] = [
  {
    pattern: /[\u00ad\u200b-\u200d\u2060\ufeff](?<inner>)/g,
    note: 'invisible characters were taken out; they come along from web pages and chats',
  },
  {
    pattern: /^["'`“”‘’«»„](?<inner>[^"'`“”‘’«»„]*)["'`“”‘’«»]$/,
    note: 'the quotes around it are not part of the token',
  },
  { pattern: /^(?<inner>[^\s,;]+)[,;]$/, note: 'the comma or semicolon after it is not part of the token' },
  { pattern: /^bearer\s+(?<inner>\S)/i, note: 'the word Bearer before it is the scheme and not part of the token' },
  {
    pattern: /^(?:export\s+|set\s+|\$env:)?[A-Za-z_]\w*\s*=\s*(?<inner>["'`]?[\w-]{3,}[./][\w-]{3,})/,
    note: 'the name of a variable before it is not part of the token',
  },
]

/** Joins a token that a terminal or mail program has split into lines, if the result is a token. */
function joinLines(text: string): Stripped {
  const parts = text.split(/\s+/)
  if (parts.length === 1) return { token: text, notes: [] }
  const whole = parts.filter((part) => !['opaque', 'damaged-jwt'].includes(detectTokenKind(part)))
  if (whole.length > 1) throw rejectInput(`holds ${whole.length} tokens`, 'give one at a time')
  const token = parts.join('')
  if (whole.length === 0 && detectTokenKind(token) !== 'opaque' && detectTokenKind(token) !== 'damaged-jwt')
    return {
      token,
      notes: [`it was broken into ${parts.length} pieces, which were joined; no client sends a token so`],
    }
  const lines = text.split(/\r\n|\r|\n/).length
  throw lines > 1
    ? rejectInput(`has ${lines} lines, which no token has`, 'give the token alone, or the whole output of a helper')
    : rejectInput('has spaces, which no token has', 'give the token alone')
}

function refuseOther(token: string): void {
  if (token === '') throw rejectInput('is empty', 'pipe a token in, name a file with --file, or run a helper behind --')
  if (Buffer.byteLength(token) > limits.tokenBytes) throw rejectLong()
  const foreign = /[^\x21-\x7e]/u.exec(token)?.[0]
  if (foreign === '…') throw rejectInput('holds "…": it was shortened where it was copied', 'copy the whole token')
  if (foreign !== undefined)
    throw rejectInput(`holds ${nameCharacter(foreign)}, which no token does`, 'copy the token once more, and alone')
  if (isPlaceholder(token))
    throw rejectInput('is a placeholder, or a variable that no shell has replaced', 'put the token in its place')
}

function rejectLong(): Error {
  return rejectInput(`is longer than ${limits.tokenBytes / 1024} KiB`, 'give the token alone: none is so long')
}

function nameCharacter(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}
