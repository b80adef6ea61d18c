import { hash } from 'node:crypto'
import { findLongTermService } from '../../contract/aws/keys.ts'
import type { Headers } from '../../contract/headers.ts'
import type { Environment } from '../run-process.ts'
import { type AwsKeyFacts, parseAwsKey } from './aws-key-facts.ts'
import { parsePart } from './jwt.ts'
import { parsePresigned } from './presigned-request.ts'
import { parseIdentityProof } from './proof-facts.ts'

/** The statements of a token, without the token itself. */
export interface TokenFacts {
  /** A digest: equal for equal tokens. */
  readonly fingerprint: string
  readonly bytes: number
  /** The stated expiry in epoch milliseconds, and the claim or parameter with it; unverified. */
  readonly end?: { readonly source: 'JWT exp' | 'AWS X-Amz-Expires' | 'AWS X-Amz-Date'; readonly at: number }
  readonly awsKey?: AwsKeyFacts
  /** The name of a long-term AWS key, which is valid until somebody deletes it, or until an expiry that it does not state. */
  readonly longTermKey?: string
  /** The signature algorithm that a JWT states, such as `ES384` (RFC 7518, section 3.1). */
  readonly algorithm?: string
}

/** Parses what a token states; pure. `env` may hold the key that signed it. */
export function parseTokenFacts(token: string, env: Environment): TokenFacts {
  const awsKey = parseAwsKey(token, env)
  const longTermKey = findLongTermService(token)?.key
  const end = findEnd(token)
  const [header = ''] = splitParts(token)
  const algorithm = parsePart(header)?.alg
  return {
    fingerprint: hash('sha256', token),
    bytes: Buffer.byteLength(token),
    ...(end && { end }),
    ...(awsKey && { awsKey }),
    ...(longTermKey !== undefined && { longTermKey }),
    ...(typeof algorithm === 'string' && /^[A-Z]+\d*$/.test(algorithm) && { algorithm }),
  }
}

function findEnd(token: string): TokenFacts['end'] {
  const [, claims = ''] = splitParts(token)
  const exp = parsePart(claims)?.exp
  if (typeof exp === 'number' && Number.isFinite(exp)) return { source: 'JWT exp', at: exp * 1000 }
  const proof = parseIdentityProof(token)
  if (proof) return { source: 'AWS X-Amz-Date', at: proof.expiresAt }
  const presigned = parsePresigned(token)
  return presigned && { source: 'AWS X-Amz-Expires', at: presigned.signedAt + presigned.expiresSec * 1000 }
}

/**
 * Splits a JWT into its parts; empty for anything else. Each part is parsed even if another cannot be, because a helper under test may
 * print a token that is partly wrong, and still expires.
 */
function splitParts(token: string): string[] {
  const parts = token.split('.')
  return parts.length === 3 ? parts : []
}

/** A header that carries a token. */
export interface HeaderToken {
  readonly name: string
  readonly facts: TokenFacts
}

/** Drops a scheme such as `Bearer` before a token in the value of a header. */
export function dropScheme(value: string): string {
  return value.replace(/^[A-Za-z][\w-]* (?=\S+$)/, '')
}

/** Lists the headers with a token that states its expiry, alone or after a scheme such as `Bearer`; pure. */
export function listHeaderTokens(headers: Headers): HeaderToken[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const facts = parseTokenFacts(dropScheme(value), {})
    return facts.end ? [{ name, facts }] : []
  })
}
