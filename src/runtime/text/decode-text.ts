/** Decodes UTF-8 or UTF-16, with or without a byte-order mark, which is removed. `undefined` for bytes that are neither. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(findUtf16Encoding(bytes) ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined // the error has no further details
  }
}

/** Finds the encoding by the byte-order mark, or by the zero byte beside an ASCII first character; `undefined` for UTF-8. */
export function findUtf16Encoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (hasPrefix(bytes, [0xff, 0xfe]) || (bytes.length > 1 && bytes[0] !== 0 && bytes[1] === 0)) return 'utf-16le'
  if (hasPrefix(bytes, [0xfe, 0xff]) || (bytes.length > 1 && bytes[0] === 0 && bytes[1] !== 0)) return 'utf-16be'
  return undefined
}

/** Returns whether bytes begin with the byte-order mark of UTF-8, which no reader needs. */
export function hasUtf8Mark(bytes: Uint8Array): boolean {
  return hasPrefix(bytes, [0xef, 0xbb, 0xbf])
}

export function hasPrefix(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte)
}
