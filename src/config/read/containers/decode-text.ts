import type { Finding } from '../../finding.ts'
import { finding } from '../../finding.ts'

export interface Decoded {
  /** `undefined`: the bytes are not text in the expected encoding. */
  readonly text: string | undefined
  readonly findings: readonly Finding[]
}

/** Strict UTF-8. A byte-order mark is taken off and reported; UTF-16 is recognized in order to say so. */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  if (utf16ByteOrder(bytes)) {
    return broken(
      'utf16',
      'it is UTF-16; JSON is UTF-8',
      'save it as UTF-8 (in PowerShell 7: `Set-Content -Encoding utf8NoBOM`)',
    )
  }
  const text = decode(bytes, 'utf-8')
  if (text === undefined) return broken('not-utf8', 'it has bytes that are not UTF-8', 'save it as UTF-8')
  if (!startsWith(bytes, [0xef, 0xbb, 0xbf])) return { text, findings: [] }
  const mark = finding(
    'byte-order-mark',
    '',
    'it begins with a UTF-8 byte-order mark, which some readers refuse',
    'save it as UTF-8 without a mark',
  )
  return { text, findings: [mark] }
}

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** By its byte-order mark, or by the zero byte beside an ASCII first character. */
export function utf16ByteOrder(bytes: Uint8Array): Exclude<TextEncoding, 'utf-8'> | undefined {
  if (startsWith(bytes, [0xff, 0xfe]) || (bytes.length > 1 && bytes[0] !== 0 && bytes[1] === 0)) return 'utf-16le'
  if (startsWith(bytes, [0xfe, 0xff]) || (bytes.length > 1 && bytes[0] === 0 && bytes[1] !== 0)) return 'utf-16be'
  return undefined
}

/** Without a byte-order mark; `undefined` when a byte sequence is not valid in the encoding. */
export function decode(bytes: Uint8Array, encoding: TextEncoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte)
}

function broken(code: 'utf16' | 'not-utf8', message: string, hint: string): Decoded {
  return { text: undefined, findings: [finding(code, '', message, hint)] }
}
