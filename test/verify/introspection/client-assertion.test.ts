import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { parseSigningKey, signClientAssertion } from '../../../src/verify/introspection/client-assertion.ts'

const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey

const toPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const toJwk = (key: KeyObject, members: object) => JSON.stringify({ ...key.export({ format: 'jwk' }), ...members })

function parse(text: string): object | string {
  try {
    const { alg, kid } = parseSigningKey(new Secret(text))
    return { alg, kid }
  } catch (thrown) {
    return thrown instanceof HelperError ? `${thrown.kind}: ${thrown.message}` : String(thrown)
  }
}

const unusable = 'not-configured: the private key of the client cannot be used'

test.each<[string, string, object | string]>([
  ['RSA', toPem(rsa(2048)), { alg: 'RS256', kid: undefined }],
  ['a short RSA key', toPem(rsa(1024)), unusable],
  ['a short RSA key with a long digest', toJwk(rsa(512), { alg: 'RS512' }), unusable],
  ['a curve', toJwk(ec('P-256'), { kid: 'one' }), { alg: 'ES256', kid: 'one' }],
  ['another curve than alg', toJwk(ec('P-256'), { alg: 'ES384' }), unusable],
  ['a curve that JWTs do not have', toPem(ec('secp256k1')), unusable],
  ['a shared secret', JSON.stringify({ kty: 'oct', k: 'AAAA', alg: 'HS256' }), unusable],
  ['no signature', toJwk(ec('P-256'), { alg: 'none' }), unusable],
  ['a public key', createPublicKey(ec('P-256')).export({ type: 'spki', format: 'pem' }).toString(), unusable],
])('the key of a client has an algorithm or is refused: %s', (_, text, outcome) => {
  expect(parse(text)).toEqual(outcome)
})

test('a signature by a long key blocks nobody else', async () => {
  const key = rsa(4096)
  const order: string[] = []
  const facts = { clientId: 'gateway', issuer: 'https://id.example', now: 0 }
  const signed = signClientAssertion({ key, alg: 'PS256', kid: undefined }, facts).then((text) => {
    order.push('signature')
    return text
  })
  setImmediate(() => order.push('somebody else'))
  const [header = '', claims = '', signature = ''] = (await signed).split('.')
  const publicKey = { key: createPublicKey(key), padding: 6, saltLength: 32 } as const
  const holds = verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))
  expect({ holds, order }).toEqual({ holds: true, order: ['somebody else', 'signature'] })
})
