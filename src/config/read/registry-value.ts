/** A value as `reg import` would store it. */
export type RegistryValue =
  | {
      readonly value: string | number
      /** `unknown` if a backslash precedes a character that it does not escape; `reg import` drops such a backslash. */
      readonly escapes: 'known' | 'unknown'
    }
  | { readonly value: undefined; readonly reason: 'type that clients do not read' | 'not imported' }

/** How the bytes of a text are written: in files of version 5.00, and in those of version 4. */
export type ByteEncoding = 'utf16le' | 'latin1'

/** Parses the text after `=`: REG_SZ as text and REG_DWORD as a number, in their plain form or as bytes. */
export function parseRegistryValue(written: string, encoding: ByteEncoding): RegistryValue {
  const text = /^"((?:[^"\\]|\\.)*)"\s*(?:;.*)?$/.exec(written)
  if (text) return parseQuotedText(text[1]!)
  const number = /^dword:\s*([0-9a-fA-F]{1,8})\s*(?:;.*)?$/.exec(written)
  if (number) return { value: Number.parseInt(number[1]!, 16), escapes: 'known' }
  return parseBytes(written, encoding)
}

/** Returns whether the text after `=` deletes the value. */
export function isDeletion(written: string): boolean {
  return /^-\s*(?:;.*)?$/.test(written)
}

/** Parses the text between quotes, and reports whether every escape in it is valid. */
export function parseQuotedText(quoted: string): RegistryValue {
  const escaped = [...quoted.matchAll(/\\(.)/g)].map(([, letter]) => letter!)
  if (escaped.includes('0')) return notImported
  const value = quoted.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter)
  return { value, escapes: escaped.every((letter) => letter in escapes) ? 'known' : 'unknown' }
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n', r: '\r' }

const notImported = { value: undefined, reason: 'not imported' } as const

/** Parses bytes. Any type is imported, but only texts and numbers are read. */
function parseBytes(written: string, encoding: ByteEncoding): RegistryValue {
  const [, type = '3', list] = /^hex(?:\(0*([0-9a-f]+)\))?:([^;]*)/.exec(written) ?? []
  const bytes = list === undefined ? undefined : parseByteList(list)
  if (!bytes) return notImported
  if (type === '1') return { value: bytes.toString(encoding).split('\0', 1)[0]!, escapes: 'known' }
  if (type === '4') return { value: Buffer.concat([bytes, Buffer.alloc(4)]).readUInt32LE(), escapes: 'known' }
  return { value: undefined, reason: 'type that clients do not read' }
}

function parseByteList(list: string): Buffer | undefined {
  const parts = list.split(',').map((part) => part.trim())
  if (parts.at(-1) === '') parts.pop()
  if (!parts.every((part) => /^[0-9a-f]{1,2}$/i.test(part))) return undefined
  return Buffer.from(parts.map((part) => Number.parseInt(part, 16)))
}

/** Names the type of a value that is written as bytes; `hex:` without a number is binary. */
export function describeRegistryType(written: string): string {
  const code = /^hex\(0*([0-9a-f]+)\):/.exec(written)?.[1] ?? '3'
  return typeNames[code] ?? `the registry type ${code}`
}

/** Types by the number in brackets: `hex(2)` is REG_EXPAND_SZ. */
const typeNames: Readonly<Record<string, string>> = {
  0: 'REG_NONE',
  2: 'REG_EXPAND_SZ',
  3: 'REG_BINARY',
  7: 'REG_MULTI_SZ',
  b: 'REG_QWORD',
}
