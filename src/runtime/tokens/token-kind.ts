import { findPlatformSecret } from '../../contract/api-keys.ts'
import { proofForms } from '../../contract/aws/caller-identity.ts'
import { findKeyService, findLongTermService } from '../../contract/aws/keys.ts'
import { isBase64Url, parseJwt, parsePart } from './jwt.ts'
import { parseProofFacts } from './proof-facts.ts'

/** The kind of a token by its form. `damaged-jwt` begins like a JWT and cannot be read; `opaque` states nothing. */
export type TokenKind =
  | 'jwt'
  | 'damaged-jwt'
  | 'encrypted-jwt'
  | 'aws-identity'
  | 'aws-short-term-key'
  | 'aws-long-term-key'
  | 'platform-secret'
  | 'opaque'

/** Detects the kind of a token without verifying it. */
export function detectTokenKind(token: string): TokenKind {
  if (findKeyService(token)) return 'aws-short-term-key'
  if (findLongTermService(token)) return 'aws-long-term-key'
  if (findPlatformSecret(token)) return 'platform-secret'
  if (token.startsWith(proofForms.url.prefix) || parseProofFacts(token)) return 'aws-identity'
  if (parseJwt(token)) return 'jwt'
  if (isEncrypted(token)) return 'encrypted-jwt'
  return /^eyJ[\w-]*\.[\w-]/.test(token) ? 'damaged-jwt' : 'opaque'
}

/** Returns whether a token is an encrypted JWT: five parts, of which the first names the encryption (RFC 7516, section 3.1). */
function isEncrypted(token: string): boolean {
  const parts = token.split('.')
  return parts.length === 5 && parts.every(isBase64Url) && parsePart(parts[0]!)?.enc !== undefined
}
