import { z } from 'zod'
import { parseTokenFacts } from '../../token/token-facts.ts'

/** When a token says that it was made, in epoch milliseconds at the start of a second; `undefined` where it does not. */
export function findMadeAt(token: string): number | undefined {
  const { bedrock } = parseTokenFacts(token, {})
  if (bedrock) return bedrock.signedAt
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1]
  const claims = payload === undefined ? undefined : issued.safeParse(parseJson(Buffer.from(payload, 'base64url')))
  return claims?.success ? claims.data.iat * 1000 : undefined
}

const issued = z.object({ iat: z.number() })

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined // three words with dots between them, and no JWT
  }
}
