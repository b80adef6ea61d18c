import type { TokenKind } from '../../../runtime/tokens/token-kind.ts'
import type { TokenCheck } from './token-check.ts'

/** Whether the token can be read at all, and who alone can say whether it is genuine, where nobody was named to ask. */
export function validateForm(kind: TokenKind): TokenCheck[] {
  const check = origins[kind]
  return [typeof check === 'string' ? { name: 'signature', status: 'not asked', message: check } : check]
}

/** What is said of a signature that nobody was named to vouch for. */
export const unverified = 'not verified: name whose keys it has to be signed with, by --issuer, --keys or --policy'

/** Of each kind what is said of its origin. */
const origins: Readonly<Record<TokenKind, string | TokenCheck>> = {
  jwt: unverified,
  'damaged-jwt': {
    name: 'form',
    status: 'unmet',
    message: 'it begins as a JWT and is none: three parts between dots, of which two are JSON in base64url',
    reason: 'malformed',
    hint: 'copy the whole token once more, or have it made again',
  },
  'encrypted-jwt': 'not verified: only whom it is for can decrypt it, and a signature is inside',
  'aws-identity': 'not verified: only AWS STS can say whose it is',
  'aws-short-term-key': 'not verified: only AWS can verify it, when a request comes with it',
  'aws-long-term-key': 'not verified: only AWS can verify it, when a request comes with it',
  'platform-secret': 'not verified: only the platform can verify it, when a request comes with it',
  opaque: 'not verified: only whoever issued it can',
}
