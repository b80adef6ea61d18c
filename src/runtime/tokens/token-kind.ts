import { findPlatformSecret } from '../../contract/api-keys/platform-secrets.ts'
import { findKeyService, findLongTermService } from '../../contract/aws-keys.ts'
import { parseObject } from '../parse-object.ts'
import { parseJwt } from './jwt.ts'
import { parseProofFacts } from './proof-facts.ts'

/** What a token is by its form. `damaged-jwt` begins as one and cannot be read; `opaque` states nothing. */
export const tokenKinds = [
  'jwt',
  'damaged-jwt',
  'encrypted-jwt',
  'aws-identity',
  'aws-short-term-key',
  'aws-long-term-key',
  'platform-secret',
  'opaque',
] as const

/** See {@link tokenKinds}. */
export type TokenKind = (typeof tokenKinds)[number]

/** What a token is; nothing about it is verified. */
export function detectTokenKind(token: string): TokenKind {
  if (findKeyService(token)) return 'aws-short-term-key'
  if (findLongTermService(token)) return 'aws-long-term-key'
  if (findPlatformSecret(token)) return 'platform-secret'
  if (token.startsWith(proofPrefix) || parseProofFacts(token)) return 'aws-identity'
  if (parseJwt(token)) return 'jwt'
  if (isEncrypted(token)) return 'encrypted-jwt'
  return /^eyJ[\w-]*\.[\w-]/.test(token) ? 'damaged-jwt' : 'opaque'
}

/** Of aws-iam-authenticator; other servers choose another one, or none. */
const proofPrefix = 'k8s-aws-v1.'

/** The compact form of an encrypted JWT: five parts, of which the first names the encryption (RFC 7516, section 3.1). */
function isEncrypted(token: string): boolean {
  const parts = token.split('.')
  if (parts.length !== 5 || !parts.every((part) => /^[\w-]*$/.test(part))) return false
  return parseObject(Buffer.from(parts[0] ?? '', 'base64url').toString('utf8'))?.enc !== undefined
}
