type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** The encoding by its byte-order mark, or by the zero byte beside an ASCII first character; `undefined` for UTF-8. */
export function findUtf16Encoding(bytes: Uint8Array): Exclude<TextEncoding, 'utf-8'> | undefined {
  if (hasPrefix(bytes, [0xff, 0xfe]) || (bytes.length > 1 && bytes[0] !== 0 && bytes[1] === 0)) return 'utf-16le'
  if (hasPrefix(bytes, [0xfe, 0xff]) || (bytes.length > 1 && bytes[0] === 0 && bytes[1] !== 0)) return 'utf-16be'
  return undefined
}

/** The text without its byte-order mark; `undefined` when a byte sequence is not valid in the encoding. */
export function decodeText(bytes: Uint8Array, encoding: TextEncoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether the bytes begin with these. */
export function hasPrefix(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte)
}

/** Why bytes are no UTF-8, and the way out. */
interface EncodingProblem {
  readonly problem: 'utf16' | 'not-utf8'
  readonly message: string
  readonly hint: string
}

/** Decodes strict UTF-8. UTF-16, which PowerShell writes, is recognized for its own message. */
export function decodeUtf8(bytes: Uint8Array): { readonly text: string; readonly hasMark: boolean } | EncodingProblem {
  if (findUtf16Encoding(bytes)) {
    const hint = 'save it as UTF-8 (in PowerShell 7: `Set-Content -Encoding utf8NoBOM`)'
    return { problem: 'utf16', message: 'it is UTF-16; JSON is UTF-8', hint }
  }
  const text = decodeText(bytes, 'utf-8')
  if (text !== undefined) return { text, hasMark: hasPrefix(bytes, [0xef, 0xbb, 0xbf]) }
  return { problem: 'not-utf8', message: 'it has bytes that are not UTF-8', hint: 'save it as UTF-8' }
}

/** What is said of a byte-order mark, which is removed. */
export const markProblem = {
  message: 'it begins with a UTF-8 byte-order mark, which some readers refuse',
  hint: 'save it as UTF-8 without a mark',
} as const
