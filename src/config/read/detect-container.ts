import { findUtf16Encoding, hasPrefix } from '../../runtime/text/decode-text.ts'
import { createFinding, type Finding } from '../finding.ts'
import { isOmaUriText } from './oma-uri.ts'

/** The file format that holds a document. A `property-list` is a configuration profile or the preferences alone, `oma-uri` a custom profile for Intune. */
export type Container = 'json' | 'property-list' | 'registry' | 'oma-uri'

/** Looks at the first bytes only, because file names can be wrong. Everything else counts as JSON, whose parser reports errors. */
export function detectContainer(bytes: Uint8Array): Container {
  if (isSigned(bytes) || isBinaryPlist(bytes)) return 'property-list'
  const start = new TextDecoder(findUtf16Encoding(bytes) ?? 'utf-8').decode(bytes.subarray(0, 512)).trimStart()
  if (isRegistryText(start)) return 'registry'
  if (isOmaUriText(start)) return 'oma-uri'
  return /^<(\?xml|!DOCTYPE\s+plist|plist)/i.test(start) ? 'property-list' : 'json'
}

/** Whether the bytes begin as a binary property list does. */
export function isBinaryPlist(bytes: Uint8Array): boolean {
  return hasPrefix(bytes, [...Buffer.from('bplist')])
}

/** Whether the bytes are CMS (RFC 5652), as a signed profile is: an ASN.1 sequence, or its armoured form. */
export function isSigned(bytes: Uint8Array): boolean {
  return (
    hasPrefix(bytes, [0x30, 0x80]) ||
    hasPrefix(bytes, [0x30, 0x82]) ||
    hasPrefix(bytes, [0x30, 0x83]) ||
    hasPrefix(bytes, [...Buffer.from('-----BEGIN ')])
  )
}

/** Whether the text is that of a registry file: by its header or, without one, by its first key. */
export function isRegistryText(text: string): boolean {
  const first = text.split(lineEnd).find((line) => !isComment(line.trim())) ?? ''
  return looksLikeHeader.test(first.trim()) || /^\[-?HK(EY_|LM\\|CU\\)/i.test(first.trim())
}

/** The end of a line of a registry file. */
export const lineEnd = /\r\n|\r|\n/
/** How the first line of a registry file begins, whatever its version. */
export const looksLikeHeader = /^(Windows Registry Editor Version|REGEDIT)/i

/** Whether a line of a registry file says nothing. */
export function isComment(line: string): boolean {
  return line === '' || line.startsWith(';') || line.startsWith('#')
}

/** The largest document that is read, in bytes; our decision. */
export const maxBytes = 5 * 1024 * 1024

/** The finding for a file of more than `maxBytes`. */
export function reportTooLarge(): Finding {
  return createFinding(
    'too-large',
    '',
    `it is larger than ${maxBytes / 1024 / 1024} MiB`,
    'check that it is the document: a document has a few kilobytes',
  )
}
