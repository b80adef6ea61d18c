import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { type AwsStandIn, startAwsStandIn } from '../aws-stand-in.ts'

const arn = 'arn:aws:iam::111122223333:user/dev'

interface Proof {
  key: KeyObject
  header: Record<string, unknown>
  payload: Record<string, unknown>
}

function renderProof({ key, header, payload }: Proof): string {
  const jwk = createPublicKey(key).export({ format: 'jwk' })
  const parts = [{ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header }, payload]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const invalid = (message: string) => ({ error: 'INVALID_REQUEST', message: `DPoP proof: ${message}` })

test.each([
  ['no proof', () => '', invalid('not a dpop+jwt signed with ES256')],
  [
    'another type',
    (proof: Proof) => renderProof({ ...proof, header: { typ: 'JWT' } }),
    invalid('not a dpop+jwt signed with ES256'),
  ],
  [
    'no key',
    (proof: Proof) => renderProof({ ...proof, header: { jwk: 1 } }),
    invalid('the header holds no public P-256 key'),
  ],
  [
    'its private key',
    (proof: Proof) => renderProof({ ...proof, header: { jwk: proof.key.export({ format: 'jwk' }) } }),
    invalid('the header holds no public P-256 key'),
  ],
  [
    'a signature by another key',
    (proof: Proof) => renderProof({ ...proof, header: { jwk: other.publicKey.export({ format: 'jwk' }) } }),
    invalid('the signature is wrong'),
  ],
  [
    'another address',
    (proof: Proof) => renderProof({ ...proof, payload: { ...proof.payload, htu: 'https://example.com/v1/token' } }),
    invalid('made for another request'),
  ],
  [
    'an old date',
    (proof: Proof) => renderProof({ ...proof, payload: { ...proof.payload, iat: 1 } }),
    invalid('made at another time'),
  ],
  [
    'no id',
    (proof: Proof) => renderProof({ ...proof, payload: { ...proof.payload, jti: undefined } }),
    invalid('without a jti'),
  ],
])('refuses a refresh with %s', async (_, render, body) => {
  await using aws = await startAwsStandIn()
  const { ask, proof } = prepareRefresh(aws)
  expect(await ask(render(proof))).toEqual({ status: 400, body })
  expect(aws.requests).toEqual([
    {
      operation: 'CreateOAuth2Token',
      status: 400,
      parameters: {
        clientId: 'arn:aws:signin:::devtools/same-device',
        grantType: 'refresh_token',
        refreshToken: 'login-refresh-1',
      },
    },
  ])
})

test('refuses a refresh with another key than signed in', async () => {
  await using aws = await startAwsStandIn()
  const { ask, proof } = prepareRefresh(aws)
  const body = { error: 'TOKEN_EXPIRED', message: 'the refresh token is not valid' }
  expect(await ask(renderProof({ ...proof, key: other.privateKey }))).toEqual({ status: 401, body })
})

test('a proof is valid once', async () => {
  await using aws = await startAwsStandIn()
  const { ask, proof } = prepareRefresh(aws)
  expect(await ask(renderProof(proof))).toEqual({
    status: 200,
    body: {
      accessToken: {
        accessKeyId: 'ASIASTANDIN000000002',
        secretAccessKey: expect.any(String),
        sessionToken: expect.any(String),
      },
      tokenType: 'aws_sigv4',
      expiresIn: 900,
      refreshToken: 'login-refresh-1-refreshed',
    },
  })
  expect(await ask(renderProof(proof))).toEqual({ status: 400, body: invalid('used before') })
})

test('another client is refused', async () => {
  await using aws = await startAwsStandIn()
  const { ask, proof } = prepareRefresh(aws)
  expect(await ask(renderProof(proof), { clientId: 'other' })).toEqual({
    status: 400,
    body: { error: 'INVALID_REQUEST', message: 'unknown client' },
  })
})

function prepareRefresh(aws: AwsStandIn) {
  const { clientId, refreshToken, dpopKey } = aws.addLoginSession({ arn, expiresAt: new Date() })
  const url = `${aws.url}/v1/token`
  const payload = { htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000), jti: 'proof-1' }
  const ask = async (dpop: string, changes = {}) => {
    const body = JSON.stringify({ clientId, grantType: 'refresh_token', refreshToken, ...changes })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', dpop }, body })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  return { ask, proof: { key: createPrivateKey(dpopKey), header: {}, payload } }
}
