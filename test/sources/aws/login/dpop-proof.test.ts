import { createPublicKey } from 'node:crypto'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { signDpopProof } from '../../../../src/sources/aws/login/exchange-grant.ts'
import { createDpopKey, parseDpopKey, renderDpopKey } from '../../../../src/sources/aws/login/login-session.ts'
import { toStableText } from '../../../setup/to-stable-text.ts'

const url = 'https://eu-central-1.signin.aws.amazon.com/v1/token'
const now = Date.UTC(2026, 0, 15, 12)

test('a proof is a JWT for one POST, verified by jose with the public key in its header', async () => {
  const key = createDpopKey()
  const proof = signDpopProof(key, { url, now: now + 999 })
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const { payload } = await jwtVerify(proof, await importJWK({ kty, crv, x, y } as { kty: 'EC' }, 'ES256'))
  expect({ ...decodeProtectedHeader(proof), ...payload, jti: toStableText(payload.jti!) }).toEqual({
    typ: 'dpop+jwt',
    alg: 'ES256',
    jwk: { kty, crv, x, y },
    htm: 'POST',
    htu: url,
    iat: now / 1000,
    jti: 'UUID',
  })
})

test('no two proofs for the same request are the same', () => {
  const key = createDpopKey()
  const [first, second] = [1, 2].map(() => signDpopProof(key, { url, now }).split('.')[1])
  expect(first).not.toBe(second)
})

test('a key is kept as SEC 1, in lines of 64 characters as the AWS CLI writes them', () => {
  const key = createDpopKey()
  const pem = renderDpopKey(key)
  expect(pem.split('\n').map((line) => (line.startsWith('-') ? line : line.length))).toEqual([
    '-----BEGIN EC PRIVATE KEY-----',
    ...[64, 64, 36],
    '-----END EC PRIVATE KEY-----',
    0,
  ])
  expect(parseDpopKey(pem)?.equals(key)).toBe(true)
})

test('a key in PKCS 8, as in the test cases of the AWS SDKs, is read too', () => {
  const key = createDpopKey()
  expect(parseDpopKey(key.export({ format: 'pem', type: 'pkcs8' }).toString())?.equals(key)).toBe(true)
})

test('a key on another curve and other texts are not read', () => {
  const p384 = `-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBrZxVHGUGRrPt2wNnH
-----END PRIVATE KEY-----`
  expect([parseDpopKey(p384), parseDpopKey(''), parseDpopKey('key')]).toEqual([undefined, undefined, undefined])
})
