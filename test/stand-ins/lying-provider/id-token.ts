import { createHash } from 'node:crypto'
import { FlattenedSign } from 'jose'
import { type IdTokenLies, mergeMembers } from './lies.ts'
import type { SigningKeys } from './signing-keys.ts'

/** The claims of an honest ID token. */
export interface IdTokenFacts {
  readonly issuer: string
  readonly clientId: string
  readonly nonce: string | undefined
  readonly accessToken: string
  /** By the provider's clock, in seconds since the epoch. */
  readonly nowSec: number
}

const subject = 'person-1'

/** A header that no client understands, for `crit` (RFC 7515, section 4.1.11). */
export const strangeHeader = 'http://example.test/strange'

/** Issues an ID token of an hour. */
export async function issueIdToken(facts: IdTokenFacts, lies: IdTokenLies, keys: SigningKeys): Promise<string> {
  const { issuer: iss, clientId: aud, nonce, accessToken, nowSec: iat } = facts
  const honest = { iss, sub: subject, aud, iat, exp: iat + 3600, nonce, at_hash: toHalfDigest(accessToken) }
  const claims = JSON.stringify(mergeMembers(honest, lies.claims))
  const signing = await keys.find(lies.signer ?? 'first', aud)
  if (!signing) return `${encode(JSON.stringify(mergeMembers({ alg: 'none' }, lies.header)))}.${encode(claims)}.`
  const header = { ...mergeMembers({ kid: signing.kid }, lies.header), alg: signing.alg }
  const signed = lies.signature === 'wrong' ? `${claims} ` : claims
  const { protected: head, signature } = await new FlattenedSign(new TextEncoder().encode(signed))
    .setProtectedHeader(header)
    .sign(signing.key, { crit: { [strangeHeader]: true } })
  return `${head}.${encode(claims)}.${signature}`
}

/** Follows OpenID Connect Core 1.0, section 3.1.3.6, for algorithms over SHA-256. */
function toHalfDigest(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
