import { hash } from 'node:crypto'
import { findLongTermService } from '../../contract/aws/keys.ts'
import type { Headers } from '../../contract/headers.ts'
import type { Environment } from '../run-process.ts'
import { parseObject, type RawObject } from '../values/json-value.ts'
import { type AwsKeyFacts, parseAwsKey } from './aws-key-facts.ts'
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
  const algorithm = parsePart(token, 0)?.alg
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
  const exp = parsePart(token, 1)?.exp
  if (typeof exp === 'number' && Number.isFinite(exp)) return { source: 'JWT exp', at: exp * 1000 }
  const proof = parseIdentityProof(token)
  if (proof) return { source: 'AWS X-Amz-Date', at: proof.expiresAt }
  const presigned = parsePresigned(token)
  return presigned && { source: 'AWS X-Amz-Expires', at: presigned.signedAt + presigned.expiresSec * 1000 }
}

/**
 * Parses the header or the claims of a JWT, unverified; `undefined` for anything else. Each is parsed even if the other cannot be, because
 * a helper under test may print a token that is partly wrong, and still expires.
 */
function parsePart(token: string, index: 0 | 1): RawObject | undefined {
  const parts = token.split('.')
  return parts.length === 3 ? parseObject(Buffer.from(parts[index]!, 'base64url').toString('utf8')) : undefined
}

/** A header that carries a token. */
export interface HeaderToken {
  readonly name: string
  readonly facts: TokenFacts
}

/** Lists the headers with a token that states its expiry, alone or after a scheme such as `Bearer`; pure. */
export function listHeaderTokens(headers: Headers): HeaderToken[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const facts = parseTokenFacts(value.replace(/^[A-Za-z][\w-]* (?=\S+$)/, ''), {})
    return facts.end ? [{ name, facts }] : []
  })
}
