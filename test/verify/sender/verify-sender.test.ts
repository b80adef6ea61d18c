import { createHash } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import type { SenderFacts, TokenSender } from '../../../src/verify/sender/sender-facts.ts'
import { createProofMemory, verifySender } from '../../../src/verify/sender/verify-sender.ts'
import { type TokenBinding, TokenRefusal } from '../../../src/verify/verdict.ts'

const now = Date.UTC(2026, 2, 1, 12)
const token = 'a.b.c'
const ath = createHash('sha256').update(token).digest('base64url')
const client = await createClient('ES256')
const other = await createClient('ES256')

test.each(['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA'])(
  'a proof by a key for %s is accepted',
  async (alg) => {
    const { binding, sign } = await createClient(alg)
    expect(await verify({ binding, proofs: [await sign()] })).toBe('accepted')
  },
)

test.each<[string, Partial<Asked>]>([
  ['a query, which does not count', { path: '/v1/messages?beta=true' }],
  ['a host in upper case and with a port', { host: 'Gateway.example:443' }],
  ['percent-encoding of what needs none', { path: '/v1/%6dessages' }],
  ['another address with a dot segment', { path: '/v1/../v1/messages' }],
])('the proof is for the same request with %s', async (_, asked) => {
  expect(await verify({ proofs: [await client.sign()], ...asked })).toBe('accepted')
})

const certificate = 'A'.repeat(43)

test('a certificate is enough for a token that is bound to one, unless it is bound to a key too', async () => {
  const proofs = [await client.sign()]
  const both = { ...client.binding, certificate }
  expect([
    await verify({ binding: { certificate }, certificate, scheme: 'Bearer', proofs: [] }),
    await verify({ binding: both, certificate, proofs }),
    await verify({ binding: both, certificate, proofs: [] }),
    await verify({ binding: both, proofs }),
    await verify({ binding: { certificate }, certificate: 'B'.repeat(43), scheme: 'Bearer', proofs: [] }),
  ]).toEqual([
    'accepted',
    'accepted',
    'proof: the request has no proof (DPoP)',
    'certificate: it is bound to a client certificate, and the gateway passes none on',
    'certificate: it is bound to another client certificate than that of the connection',
  ])
})

test.each<[string, Partial<Asked>, string]>([
  [
    'a bearer token that is bound to a key',
    { scheme: 'Bearer' },
    'key-binding: it is bound to a key, and has to be sent with the scheme DPoP',
  ],
  [
    'a bearer token as if it were bound',
    { binding: {} },
    'key-binding: it is bound to no key, and was sent with the scheme DPoP',
  ],
  ['no proof', { proofs: [] }, 'proof: the request has no proof (DPoP)'],
  ['two proofs', { proofs: ['a.b.c', 'a.b.c'] }, 'proof: the request has more than one proof (DPoP)'],
  ['two proofs in one line', { proofs: ['a.b.c, a.b.c'] }, 'proof: it is encrypted (JWE)'],
  [
    'a gateway that does not say the method',
    { method: undefined },
    'proof: the gateway does not pass on, or the verifier does not believe (--request-from), the method of the request',
  ],
  [
    'a gateway that does not say the path',
    { path: undefined },
    'proof: the gateway does not pass on, or the verifier does not believe (--request-from), the address of the request',
  ],
  ['another method', { method: 'GET' }, 'proof: the proof is for "POST", and the request is GET (htm)'],
  ...[
    { path: '/v1/files' },
    { path: '/v1/messages/' },
    { path: '/V1/messages' },
    { path: '/v1%2fmessages' },
    { path: 'v1' },
  ]
    .concat()
    .map((asked): [string, Partial<Asked>, string] => [`the path ${asked.path}`, asked, otherAddress()]),
  ...['other.example', 'gateway.example:8443', 'gateway.example@other.example', 'x.gateway.example', ''].map(
    (host): [string, Partial<Asked>, string] => [`the host ${host}`, { host }, otherAddress()],
  ),
])('refuses %s', async (_, asked, refusal) => {
  expect(await verify({ proofs: [await client.sign()], ...asked })).toBe(refusal)
})

const noKey = 'proof: the proof brings no public key for ES256 (jwk)'
const noTime = 'proof: the proof does not say when it was made (iat)'
const otherToken = 'proof: the proof is for another token (ath)'

test.each<[string, Parameters<Client['sign']>[0], string]>([
  ['another type', { typ: 'JWT' }, 'proof: the type (typ) of the proof is "JWT", not "dpop+jwt"'],
  [
    'parameters to understand',
    { crit: ['x'], x: 1 },
    'proof: the proof names header parameters that must be understood (crit)',
  ],
  ['no key', { jwk: undefined }, noKey],
  ['a private key', { jwk: { ...client.jwk, d: 'AAAA' } }, noKey],
  ['a key for another algorithm', { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } }, noKey],
  ['the key of another', { jwk: other.jwk }, 'key-binding: the proof is by another key than that of the token'],
  ['no jti', { jti: undefined }, 'proof: the proof has no ID (jti)'],
  ['no iat', { iat: undefined }, noTime],
  ['a text as iat', { iat: '1' }, noTime],
  [
    'the time of a minute ago',
    { iat: now / 1000 - 60 },
    'proof: the proof was made 60 s ago, and at most 60 s are accepted (iat)',
  ],
  [
    'a time in the future',
    { iat: now / 1000 + 60 },
    'proof: the proof was made 60 s in the future, and at most 60 s are accepted (iat)',
  ],
  ['no htm', { htm: undefined }, 'proof: the proof is for undefined, and the request is POST (htm)'],
  ['the method in lower case', { htm: 'post' }, 'proof: the proof is for "post", and the request is POST (htm)'],
  ['no htu', { htu: undefined }, otherAddress()],
  ['an htu without TLS', { htu: 'http://gateway.example/v1/messages' }, otherAddress()],
  ['an htu that is a path', { htu: '/v1/messages' }, otherAddress()],
  ['no ath', { ath: undefined }, otherToken],
  ['the ath of another token', { ath: certificate }, otherToken],
])('refuses a proof with %s', async (_, parts, refusal) => {
  expect(await verify({ proofs: [await client.sign(parts)] })).toBe(refusal)
})

test('refuses a proof by a stranger who knows the public key, and one that was changed', async () => {
  const forged = await other.sign({ jwk: client.jwk })
  const [head, , signature] = (await client.sign()).split('.')
  const [, body] = (await client.sign({ jti: 'another' })).split('.')
  const outcomes = [await verify({ proofs: [forged] }), await verify({ proofs: [`${head}.${body}.${signature}`] })]
  expect(outcomes).toEqual(Array(2).fill('proof: the signature of the proof does not hold'))
})

test.each([['HS256'], ['none']])('never accepts a proof by %s', async (alg) => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const proof = `${encode({ typ: 'dpop+jwt', alg, jwk: client.jwk })}.${encode({ jti: 'a' })}.AAAA`
  expect(await verify({ proofs: [proof] })).toBe(`proof: the proof is signed by "${alg}", which is never accepted`)
})

test('a proof is accepted once', async () => {
  const memory = createProofMemory({ now: () => now, entries: 2 })
  const ask = async (by: Client) => verify({ binding: by.binding, proofs: [await by.sign({ jti: 'same' })], memory })
  expect([await ask(client), await ask(client), await ask(other), await ask(client)]).toEqual([
    'accepted',
    'proof-replayed: undefined',
    'accepted',
    'proof-replayed: undefined',
  ])
})

test('no proof is accepted while the memory is full of others that could come again', async () => {
  const world = { now }
  const memory = createProofMemory({ now: () => world.now, entries: 1 })
  const askLater = async (laterMs: number) => {
    world.now = now + laterMs
    return verify({ proofs: [await client.sign()], memory })
  }
  const full = 'replay-store-unavailable: undefined'
  expect([await askLater(0), await askLater(0), await askLater(120_000), await askLater(130_000)]).toEqual([
    'accepted',
    full,
    full,
    'accepted',
  ])
})

test('a proof whose signature does not hold leaves nothing in the memory', async () => {
  const memory = createProofMemory({ now: () => now, entries: 1 })
  await verify({ proofs: [await other.sign({ jwk: client.jwk })], memory })
  await verify({ proofs: [await client.sign({ htm: 'GET' })], memory })
  expect(await verify({ proofs: [await client.sign()], memory })).toBe('accepted')
})

interface Asked extends SenderFacts {
  readonly binding: TokenBinding
  readonly scheme: TokenSender['scheme']
  readonly memory: ReturnType<typeof createProofMemory>
}

/** Asks about a request of the client, or one that differs from it: `accepted`, or the reason and the detail of the refusal. */
async function verify(asked: Partial<Asked>): Promise<string> {
  const usual = { method: 'POST', host: 'gateway.example', path: '/v1/messages', proofs: [] }
  const { binding = client.binding, scheme = 'DPoP', memory, ...facts } = { ...usual, ...asked }
  const proofs = memory ?? createProofMemory({ now: () => now, entries: 10 })
  try {
    await verifySender(token, { binding }, { scheme, read: () => facts }, { now, proofs })
    return 'accepted'
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    return `${thrown.reason}: ${thrown.detail}`
  }
}

type Client = Awaited<ReturnType<typeof createClient>>

/** Somebody with a key, who makes proofs of it. */
async function createClient(alg: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { jwk, binding: { key: await calculateJwkThumbprint(jwk) }, sign: createSign(alg, privateKey, jwk) }
}

let made = 0

function createSign(alg: string, key: CryptoKey, own: JWK) {
  return async (parts: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    made += 1
    const usual = { typ: 'dpop+jwt', jwk: own, crit: undefined, x: undefined }
    const { typ, jwk, crit, x, ...claims } = { ...usual, ...parts } as Record<string, unknown>
    const htu = 'https://gateway.example/v1/messages'
    const header = { alg, typ, jwk, ...(crit !== undefined && { crit, x }) } as { alg: string }
    const payload = { jti: `proof-${made}`, htm: 'POST', htu, iat: now / 1000, ath, ...claims }
    return await new SignJWT(payload).setProtectedHeader(header).sign(key, { crit: { x: true } })
  }
}

function otherAddress(): string {
  return 'proof: the proof is for another address than that of the request (htu)'
}
