// The strict form of a signed JWT.

import { parseObject } from '../../runtime/values/json-value.ts'
import { findDuplicateMember } from './find-duplicate-member.ts'

/** The longest JWT, in bytes: longer than every token that fits into a header. */
export const longestJwtBytes = 16 * 1024

/**
 * Parses a token strictly: leniency of other parsers, for example about padding, could make one token look like another.
 * @returns The token, or what is wrong with it, as a sentence.
 */
export function parseSignedJwt(text: string): SignedJwt | { readonly problem: string } {
  if (text.length > longestJwtBytes) return { problem: `it is longer than ${longestJwtBytes} bytes` }
  const parts = text.split('.')
  if (parts.length === 5) return { problem: 'it is encrypted (JWE)' }
  const [head = '', body = '', signature = ''] = parts
  if (parts.length !== 3) return { problem: 'it is not a JWT, which has three parts' }
  if (signature === '') return { problem: 'it has no signature' }
  const bytes = parts.map((part) => Buffer.from(part, 'base64url'))
  // RFC 7515, section 2, and RFC 4648, section 3.5: unused bits are zero.
  if (!parts.every((part, at) => bytes[at]!.toString('base64url') === part))
    return { problem: 'it is not written in the one form that base64url without padding has' }
  const [headBytes, bodyBytes, signatureBytes] = bytes as [Buffer, Buffer, Buffer] // three parts
  const header = parseHeader(head, headBytes)
  if ('problem' in header) return header
  const claims = parsePart('payload', bodyBytes)
  if ('problem' in claims) return claims
  return {
    signingInput: text.slice(0, head.length + 1 + body.length),
    signature: signatureBytes,
    header: header.object,
    claims: claims.object,
  }
}

let last: { readonly text: string; readonly parsed: ParsedPart } | undefined

/** Nearly all tokens of an issuer have the same header, so that the last one is kept: a function of its text. */
function parseHeader(text: string, bytes: Buffer): ParsedPart {
  if (last?.text !== text) last = { text, parsed: parsePart('header', bytes) }
  return last.parsed
}

type ParsedPart = { readonly object: Record<string, unknown> } | { readonly problem: string }

/** RFC 7515, section 4, and RFC 7519, section 4: names must be unique, for parsers choose differently among duplicates. */
function parsePart(name: string, part: Buffer): ParsedPart {
  const text = decode(part)
  const object = text === undefined ? undefined : parseObject(text)
  if (text === undefined || !object) return { problem: `its ${name} is not a JSON object` }
  const duplicate = findDuplicateMember(text)
  return duplicate === undefined ? { object } : { problem: `its ${name} names a member twice` }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(part: Buffer): string | undefined {
  try {
    return utf8.decode(part)
  } catch {
    return undefined // not UTF-8
  }
}

/** A JWT in its compact form (RFC 7519, section 3), parsed; nothing of it is verified. */
export interface SignedJwt {
  /** The text that the signature covers (RFC 7515, section 2). */
  readonly signingInput: string
  readonly signature: Buffer
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}
