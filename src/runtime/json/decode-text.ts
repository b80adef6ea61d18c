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
