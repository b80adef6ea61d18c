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

const toJwk = (key: KeyObject) => key.export({ format: 'jwk' })
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const invalid = (message: string) => ({ error: 'INVALID_REQUEST', message: `DPoP proof: ${message}` })

test.each<[what: string, change: (proof: Proof) => Partial<Proof>, problem: string]>([
  ['another type', () => ({ header: { typ: 'JWT' } }), 'not a dpop+jwt signed with ES256'],
  ['no key', () => ({ header: { jwk: 1 } }), 'the header holds no public P-256 key'],
  ['its private key', ({ key }) => ({ header: { jwk: toJwk(key) } }), 'the header holds no public P-256 key'],
  ['a signature by another key', () => ({ header: { jwk: toJwk(other.publicKey) } }), 'the signature is wrong'],
  [
    'another address',
    ({ payload }) => ({ payload: { ...payload, htu: 'https://example.com/v1/token' } }),
    'made for another request',
  ],
  ['an old date', ({ payload }) => ({ payload: { ...payload, iat: 1 } }), 'made at another time'],
  ['no id', ({ payload }) => ({ payload: { ...payload, jti: undefined } }), 'without a jti'],
])('refuses a refresh with %s', async (_, change, problem) => {
  await using aws = await startAwsStandIn()
  const { ask, proof } = prepareRefresh(aws)
  expect(await ask(renderProof({ ...proof, ...change(proof) }))).toEqual({ status: 400, body: invalid(problem) })
})

test('refuses a refresh without a proof, and records the request', async () => {
  await using aws = await startAwsStandIn()
  const { ask } = prepareRefresh(aws)
  expect({ answer: await ask(''), requests: aws.requests }).toEqual({
    answer: { status: 400, body: invalid('not a dpop+jwt signed with ES256') },
    requests: [
      {
        operation: 'CreateOAuth2Token',
        status: 400,
        parameters: {
          clientId: 'arn:aws:signin:::devtools/same-device',
          grantType: 'refresh_token',
          refreshToken: 'login-refresh-1',
        },
      },
    ],
  })
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
