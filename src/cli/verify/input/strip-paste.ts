import { isPlaceholder } from '../../../contract/api-keys/placeholder.ts'
import { limits } from '../../../contract/limits.ts'
import { detectTokenKind } from '../../../runtime/tokens/token-kind.ts'
import { rejectInput } from './found-token.ts'

/** A token without what people copy along with it. */
export interface Stripped {
  readonly token: string
  /** What was taken away. */
  readonly notes: readonly string[]
}

/**
 * Takes away what comes along when a token is copied: quotes, `Bearer`, the name of a variable, invisible characters, the line
 * breaks of a terminal. @throws {HelperError} `usage` for what no token is, which repeats nothing of it.
 */
export function stripPaste(pasted: string): Stripped {
  // Twice, because a long token may be broken into short lines.
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

/** What may stand around a token, and what is said when it was taken away. */
const wrappings: readonly { readonly pattern: RegExp; readonly note: string }[] = [
  {
    pattern: /[\u00ad\u200b-\u200d\u2060\ufeff](?<inner>)/g,
    note: 'invisible characters were taken out; they come along from web pages and chats',
  },
  {
    pattern: /^["'`“”‘’«»„](?<inner>[^"'`“”‘’«»„]*)["'`“”‘’«»]$/,
    note: 'the quotes around it are no part of the token',
  },
  { pattern: /^(?<inner>[^\s,;]+)[,;]$/, note: 'the comma or semicolon after it is no part of the token' },
  { pattern: /^bearer\s+(?<inner>\S)/i, note: 'the word Bearer before it is the scheme and no part of the token' },
  {
    pattern: /^(?:export\s+|set\s+|\$env:)?[A-Za-z_]\w*\s*=\s*(?<inner>["'`]?[\w-]{3,}[./][\w-]{3,})/,
    note: 'the name of a variable before it is no part of the token',
  },
]

/** Terminals and mail break long lines; a token that makes sense as a whole is put together again. */
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

/** Such as U+20AC. */
function nameCharacter(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}
