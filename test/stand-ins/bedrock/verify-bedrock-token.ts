import { type SigningKey, verifyQuerySignature } from './sigv4-verify.ts'

/** Why a gateway refuses a short-term API key; never a part of the key. */
type BedrockVerdict =
  | { readonly ok: true; readonly accessKeyId: string; readonly expiresAt: Date }
  | { readonly ok: false; readonly reason: string }

const version = '&Version=1'

/** Longest life of a short-term key, in seconds. AWS documentation. */
const longestLifeSec = 43_200

/** The end of a service's host in each partition. AWS's list of partitions. */
const suffixes = /^\.(amazonaws\.(com|com\.cn|eu)|c2s\.ic\.gov|sc2s\.sgov\.gov|csp\.hci\.ic\.gov|cloud\.adc-e\.uk)$/

/**
 * Verifies a short-term API key as Bedrock, or another service, would: the request inside is recomputed, with code that
 * shares nothing with the code that signs.
 */
export function verifyBedrockToken(
  token: string,
  {
    service = 'bedrock',
    secretOf,
    now,
  }: { service?: string; secretOf: (accessKeyId: string) => SigningKey | undefined; now: Date },
): BedrockVerdict {
  const prefix = `${service}-api-key-`
  if (!token.startsWith(prefix)) return { ok: false, reason: `not a key of ${service}` }
  const url = parseSignedUrl(token.slice(prefix.length))
  if (!url) return { ok: false, reason: 'malformed' }
  if (!url.host.startsWith(service) || !suffixes.test(url.host.slice(service.length)))
    return { ok: false, reason: 'signed for another host' }
  if (Number(url.searchParams.get('X-Amz-Expires')) > longestLifeSec) return { ok: false, reason: 'lives too long' }
  if (url.searchParams.get('Action') !== 'CallWithBearerToken') return { ok: false, reason: 'another action' }
  const verdict = verifyQuerySignature({ method: 'POST', url: url.href, headers: {}, secretOf, now })
  if (!verdict.ok) return { ok: false, reason: verdict.reason }
  if (verdict.service !== service) return { ok: false, reason: 'signed for another service' }
  return { ok: true, accessKeyId: verdict.accessKeyId, expiresAt: verdict.expiresAt }
}

/** Parsers tolerate different deviations, so only one form is accepted here: canonical base64, an encoded query. */
function parseSignedUrl(encoded: string): URL | undefined {
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return undefined
  const text = bytes.toString('utf8')
  if (!/^[a-z0-9.-]+\/\?[\w.~%&=-]+$/.test(text) || !text.endsWith(version)) return undefined
  return URL.parse(`https://${text.slice(0, -version.length)}`) ?? undefined
}
