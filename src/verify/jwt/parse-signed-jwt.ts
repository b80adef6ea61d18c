// The strict form of a signed JWT.

import { isUtf8 } from 'node:buffer'
import { isBase64Url } from '../../runtime/tokens/jwt.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { findDuplicateMember } from './unique-object.ts'

/** The longest JWT, in bytes: longer than any token that fits into a header. */
export const longestJwtBytes = 16 * 1024

/**
 * Parses a token strictly: a lenient parser, for example about padding, accepts several texts for one token.
 * @returns The token, or what is wrong with it, as a sentence.
 */
export function parseSignedJwt(text: string): SignedJwt | { readonly problem: string } {
  if (text.length > longestJwtBytes) return { problem: `it is longer than ${longestJwtBytes} bytes` }
  const parts = text.split('.')
  if (parts.length === 5) return { problem: 'it is encrypted (JWE)' }
  const [head = '', body = '', signature = ''] = parts
  if (parts.length !== 3) return { problem: 'it is not a JWT, which has three parts' }
  if (signature === '') return { problem: 'it has no signature' }
  if (!parts.every(isCanonical))
    return { problem: 'it is not written in the one form that base64url without padding has' }
  const header = parseHeader(head)
  if ('problem' in header) return header
  const claims = parsePart('payload', body)
  if ('problem' in claims) return claims
  return {
    signingInput: text.slice(0, head.length + 1 + body.length),
    signature: Buffer.from(signature, 'base64url'),
    header: header.object,
    claims: claims.object,
  }
}

/**
 * Returns whether a text is the canonical base64url of its bytes: the unused bits of the last character are zero (RFC 7515, section 2; RFC
 * 4648, section 3.5).
 */
function isCanonical(text: string): boolean {
  const unused = text.length % 4
  if (unused === 1 || !isBase64Url(text)) return false
  return unused === 0 || (unused === 2 ? 'AQgw' : 'AEIMQUYcgkosw048').includes(text.at(-1)!)
}

let lastHeader: { readonly text: string; readonly parsed: ParsedPart } | undefined

/** Nearly all tokens of an issuer have the same header, so the last parsed header is cached by its text. */
function parseHeader(text: string): ParsedPart {
  if (lastHeader?.text !== text) lastHeader = { text, parsed: parsePart('header', text) }
  return lastHeader.parsed
}

type ParsedPart = { readonly object: Record<string, unknown> } | { readonly problem: string }

/** Names must be unique, because parsers treat duplicates differently (RFC 7515, section 4; RFC 7519, section 4). */
function parsePart(name: string, part: string): ParsedPart {
  const bytes = Buffer.from(part, 'base64url')
  const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined
  const object = text === undefined ? undefined : parseObject(text)
  if (text === undefined || !object) return { problem: `its ${name} is not a JSON object` }
  const duplicate = findDuplicateMember(text)
  return duplicate === undefined ? { object } : { problem: `its ${name} names a member twice` }
}

/** A JWT in its compact form (RFC 7519, section 3), parsed but not verified. */
export interface SignedJwt {
  /** The text that the signature covers (RFC 7515, section 2). */
  readonly signingInput: string
  readonly signature: Buffer
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}
