import { z } from 'zod'
import { parseIdentityProof } from '../../../runtime/tokens/identity-proof.ts'
import { parseTokenFacts } from '../../../runtime/tokens/token-facts.ts'

/** When a token states that it was issued, in epoch milliseconds, rounded down to a second; `undefined` if it does not. */
export function findIssuedAt(token: string): number | undefined {
  const { awsKey } = parseTokenFacts(token, {})
  if (awsKey) return awsKey.signedAt
  const proof = parseIdentityProof(token)
  if (proof) return proof.signedAt
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1]
  const claims = payload === undefined ? undefined : issued.safeParse(parseJson(Buffer.from(payload, 'base64url')))
  return claims?.success ? claims.data.iat * 1000 : undefined
}

const issued = z.object({ iat: z.number() })

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined // three parts with dots between them, but no JWT
  }
}
