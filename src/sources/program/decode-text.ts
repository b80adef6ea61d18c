/**
 * Decodes what a program printed: UTF-8, or UTF-16 as Windows programs write it, with or without a byte order mark.
 * @returns `undefined` for bytes that are neither.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = detectEncoding(bytes)
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined // the error's message says nothing more
  }
}

/** In UTF-16, each pair of bytes of an ASCII text has a zero; in UTF-8 there are none. */
function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if ((first === 0xff && second === 0xfe) || (first && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second)) return 'utf-16be'
  return 'utf-8'
}
