import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { type GatewayQuestion, toSenderFacts } from '../../../src/verify/server/to-request-facts.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'

const pem = createAuthority('Example Authority')
  .issue({ names: ['client.example'] })
  .cert.trim()
const certificate = new X509Certificate(pem)
const hex = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
const digest = Buffer.from(hex, 'hex').toString('base64url')
const base64 = certificate.raw.toString('base64')

/** Returns the digest of the certificate in a header of the gateway. */
function toDigest(text: string): string | undefined {
  const question = { rawHeaders: ['x-cert', text] } as unknown as GatewayQuestion // nothing else is read
  return toSenderFacts(question, { from: 'x-forwarded', certificateHeader: 'x-cert' }).certificate
}

test.each<[string, string]>([
  ['PEM', pem],
  ['PEM, percent-encoded, as nginx and Envoy give it', encodeURIComponent(`${pem}\n`)],
  ['PEM with blanks for its line breaks', pem.replaceAll('\n', ' ')],
  ['DER in base64, as Caddy gives it', base64],
  ['DER in base64, percent-encoded, as Traefik gives it', encodeURIComponent(base64)],
  ['DER in base64 without padding', base64.replaceAll('=', '')],
  ['RFC 9440', `:${base64}:`],
  [
    'one element of Envoy',
    `By=spiffe://a;Hash=${hex};Cert="${encodeURIComponent(pem)}";Subject="CN=a,O=\\"b;Hash=c\\""`,
  ],
])('%s gives the digest of the certificate', (_, text) => {
  expect(toDigest(text)).toBe(digest)
})

test.each<[string, string]>([
  ['nothing', ''],
  ['another text', 'client.example'],
  ['its fingerprint alone', hex],
  ['two certificates', encodeURIComponent(`${pem}\n${pem}`)],
  ['a list, as a gateway joins two headers', `${base64},${base64}`],
  ['a list of RFC 9440', `:${base64}:, :${base64}:`],
  ['a key', pem.replaceAll('CERTIFICATE', 'PRIVATE KEY')],
  ['something else in base64', Buffer.from('client').toString('base64')],
  ['base64 with more behind its end', `${base64.replaceAll('=', '')}=AAAA`],
  ['a broken percent-encoding', '%ZZ'],
  ['two elements of Envoy', `Hash=${hex},Hash=${hex}`],
  ['an element of Envoy with two hashes', `Hash=${hex};Hash=${hex}`],
  ['an element of Envoy whose hash stands in a text', `Subject="CN=a;Hash=${hex}"`],
  ['an element of Envoy with an open text', `Subject="CN=a;Hash=${hex}`],
])('%s gives nothing', (_, text) => {
  expect(toDigest(text)).toBeUndefined()
})
