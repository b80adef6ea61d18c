import { createHash } from 'node:crypto'
import { findLongTermService } from '../../contract/aws-keys.ts'
import type { Environment } from '../../runtime/environment.ts'
import { type AwsKeyFacts, parseAwsKey } from './aws-key-facts.ts'
import { parseIdentityProof } from './identity-proof.ts'
import { parsePresigned } from './presigned-request.ts'

/** What a token states, without the token itself. */
export interface TokenFacts {
  /** A digest: equal for equal tokens. */
  readonly fingerprint: string
  readonly bytes: number
  /** When it states that it expires, in epoch milliseconds; unverified. */
  readonly end?: { readonly source: 'JWT exp' | 'AWS X-Amz-Expires' | 'AWS X-Amz-Date'; readonly at: number }
  readonly awsKey?: AwsKeyFacts
  /** What a long-term key of AWS is called; it is valid until somebody deletes it, or until an end that it does not state. */
  readonly longTermKey?: string
}

/** Parses what a token states; pure. `env` may hold the key that signed it. */
export function parseTokenFacts(token: string, env: Environment): TokenFacts {
  const awsKey = parseAwsKey(token, env)
  const longTermKey = findLongTermService(token)?.key
  const end = findEnd(token)
  return {
    fingerprint: createHash('sha256').update(token).digest('hex'),
    bytes: Buffer.byteLength(token),
    ...(end && { end }),
    ...(awsKey && { awsKey }),
    ...(longTermKey !== undefined && { longTermKey }),
  }
}

function findEnd(token: string): TokenFacts['end'] {
  const exp = findJwtExp(token)
  if (exp !== undefined) return { source: 'JWT exp', at: exp * 1000 }
  const proof = parseIdentityProof(token)
  if (proof) return { source: 'AWS X-Amz-Date', at: proof.expiresAt }
  const presigned = parsePresigned(token)
  return presigned && { source: 'AWS X-Amz-Expires', at: presigned.signedAt + presigned.expiresSec * 1000 }
}

function findJwtExp(token: string): number | undefined {
  const [, payload = '', ...rest] = token.split('.')
  if (rest.length !== 1) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    const { exp } = claims as { exp?: unknown }
    return typeof exp === 'number' && Number.isFinite(exp) ? exp : undefined
  } catch {
    return undefined // three parts with dots between them, but no JWT
  }
}
