import { rejectInput } from './found-token.ts'

/** A text, and how its bytes differed from plain UTF-8. */
export interface DecodedInput {
  readonly text: string
  readonly notes: readonly string[]
}

/** Decodes UTF-8, and UTF-16 where it says so by its mark. @throws {HelperError} `usage` for anything else. */
export function decodeInput(bytes: Uint8Array): DecodedInput {
  const mark = marks.find(({ start }) => start.every((byte, at) => bytes[at] === byte))
  const { encoding = 'utf-8', start = [], note } = mark ?? {}
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start.length))
    return { text, notes: note === undefined ? [] : [note] }
  } catch {
    throw rejectInput('is no text: its bytes are not UTF-8', 'give the token as text, as it is sent')
  }
}

const wide = 'it was UTF-16, as PowerShell writes files; no client reads that'

const marks = [
  {
    encoding: 'utf-8',
    start: [0xef, 0xbb, 0xbf],
    note: 'it began with a byte order mark, which is no part of the token',
  },
  { encoding: 'utf-16le', start: [0xff, 0xfe], note: wide },
  { encoding: 'utf-16be', start: [0xfe, 0xff], note: wide },
] as const
