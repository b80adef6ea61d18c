import { type SigningKey, verifyQuerySignature } from './sigv4-verify.ts'

/** Why a gateway refuses a short-term Bedrock API key; never a part of the key. */
export type BedrockVerdict =
  | { readonly ok: true; readonly accessKeyId: string; readonly expiresAt: Date }
  | { readonly ok: false; readonly reason: string }

const prefix = 'bedrock-api-key-'

/**
 * Verifies a short-term Bedrock API key as Bedrock would: the request inside is recomputed, with code that shares
 * nothing with the code that signs.
 */
export function verifyBedrockToken(
  token: string,
  { secretOf, now }: { secretOf: (accessKeyId: string) => SigningKey | undefined; now: Date },
): BedrockVerdict {
  if (!token.startsWith(prefix)) return { ok: false, reason: 'not a Bedrock API key' }
  const text = Buffer.from(token.slice(prefix.length), 'base64').toString('utf8')
  if (!/^bedrock\.[a-z.-]+\/\?/.test(text) || !text.endsWith('&Version=1')) return { ok: false, reason: 'malformed' }
  const url = `https://${text.slice(0, -'&Version=1'.length)}`
  if (new URL(url).searchParams.get('Action') !== 'CallWithBearerToken') return { ok: false, reason: 'another action' }
  const verdict = verifyQuerySignature({ method: 'POST', url, headers: {}, secretOf, now })
  if (!verdict.ok) return { ok: false, reason: verdict.reason }
  if (verdict.service !== 'bedrock') return { ok: false, reason: 'signed for another service' }
  return { ok: true, accessKeyId: verdict.accessKeyId, expiresAt: verdict.expiresAt }
}
