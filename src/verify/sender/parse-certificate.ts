import { hash } from 'node:crypto'

/**
 * The SHA-256 of a client certificate in base64url (RFC 8705, section 3.1), from what a gateway passes on: PEM, percent-encoded or
 * with blanks for its line breaks; DER in base64, bare or between colons (RFC 9440); or the header of Envoy,
 * `x-forwarded-client-cert`, with one element. `undefined` for anything else, and for more than one certificate.
 */
export function parseCertificate(text: string): string | undefined {
  const ofEnvoy = parseForwardedElement(text)
  if (ofEnvoy) return Buffer.from(ofEnvoy.hash, 'hex').toString('base64url')
  const decoded = decodePercent(text)
  const base64 = decoded === undefined ? undefined : findBase64(decoded)
  if (base64 === undefined) return undefined
  const der = Buffer.from(base64, 'base64')
  // The same text once more, so that nothing was left out of it. A certificate is a sequence (X.690, section 8.9).
  const isWhole = der.toString('base64').replaceAll('=', '') === base64.replaceAll('=', '')
  return isWhole && der[0] === 0x30 ? hash('sha256', der, 'base64url') : undefined
}

/**
 * The hash in an element such as `Hash=468ed33be74eee6556d90c0149c1309e9ba61d6425303443c0748a02dd8de688;Subject="CN=client"`. Several
 * elements are of several proxies, of which a caller may have been the first.
 */
function parseForwardedElement(text: string): { readonly hash: string } | undefined {
  const unquoted = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  if (unquoted.includes(',') || unquoted.replaceAll('""', '').includes('"')) return undefined
  const hashes = unquoted.split(';').flatMap((pair) => /^\s*hash=([0-9a-f]{64})\s*$/i.exec(pair)?.[1] ?? [])
  return hashes.length === 1 ? { hash: hashes[0]! } : undefined
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // not percent-encoded
  }
}

function findBase64(text: string): string | undefined {
  const [, pem, colons, bare] =
    /^\s*(?:-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----|:([A-Za-z0-9+/=]+):|([A-Za-z0-9+/=]+))\s*$/.exec(
      text,
    ) ?? []
  return (pem ?? colons ?? bare)?.replaceAll(/\s/g, '')
}
