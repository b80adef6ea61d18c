import { expect, test } from 'vitest'
import { examineJwt } from '../../../src/verify/jwt/examine-jwt.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { jwtCheckNames } from '../../../src/verify/jwt/jwt-checks.ts'
import type { JwtTrust } from '../../../src/verify/policy/policy.ts'
import { forgeGood } from './forge.ts'
import { createTestKey, createTrust, goodClaims, now, nowSec, signClaims } from './issuer.ts'

const key = await createTestKey('ES256')

test('every check of a good token passes with its observation', async () => {
  const { checks, jwt } = await examine(await signClaims(key, { nbf: nowSec - 60 }))
  expect(checks).toEqual([
    { name: 'form', outcome: 'pass', note: 'it is a signed JWT' },
    { name: 'critical headers', outcome: 'pass', note: 'its header asks for nothing unusual' },
    { name: 'issuer', outcome: 'pass', note: 'its issuer is "https://id.example"' },
    { name: 'type', outcome: 'pass', note: 'its type (typ) is "JWT", and any is accepted' },
    { name: 'algorithm', outcome: 'pass', note: 'it is signed by "ES256"' },
    { name: 'key', outcome: 'pass', note: 'the key of the issuer is "key-ES256"' },
    { name: 'signature', outcome: 'pass', note: 'the signature holds' },
    { name: 'subject', outcome: 'pass', note: 'it is about "dana"' },
    { name: 'audience', outcome: 'pass', note: 'it is for "https://gateway.example"' },
    { name: 'expiry', outcome: 'pass', note: 'it expires at 2026-03-01T12:09:00Z' },
    { name: 'not before', outcome: 'pass', note: 'it is valid since 2026-03-01T11:59:00Z' },
    { name: 'issued at', outcome: 'pass', note: 'it was issued at 2026-03-01T11:59:00Z' },
    { name: 'life', outcome: 'pass', note: 'it lives 600 s' },
    { name: 'age', outcome: 'pass', note: 'it is 60 s old' },
    { name: 'confirmation', outcome: 'pass', note: 'it is a bearer token' },
  ])
  expect([jwt?.claims, checks.map(({ name }) => name)]).toEqual([{ ...goodClaims, nbf: nowSec - 60 }, jwtCheckNames])
})

test('the signature is verified also where claims fail', async () => {
  const token = await signClaims(key, { aud: 'other', exp: nowSec - 60, sub: '' }, { typ: 'at+jwt' })
  expect(await failuresOf(token, { types: ['JWT'] })).toEqual({
    type: 'unknown-kind',
    subject: 'malformed',
    audience: 'audience',
    expiry: 'expired',
  })
})

test('a bad signature is one failure among others', async () => {
  const [header, , signature] = (await signClaims(key)).split('.')
  const claims = Buffer.from(JSON.stringify({ ...goodClaims, aud: 'x' })).toString('base64url')
  expect(await failuresOf(`${header}.${claims}.${signature}`)).toEqual({ signature: 'signature', audience: 'audience' })
})

test('the checks that depend on the issuer are skipped where it is not trusted', async () => {
  expect(await failuresOf(await signClaims(key, { iss: 'https://other.example' }))).toEqual({
    issuer: 'issuer',
    type: 'skipped',
    key: 'skipped',
    signature: 'skipped',
    audience: 'skipped',
  })
})

test.each([
  ['a name of a key that is no text', { alg: 'ES256', kid: 1 }, { 'critical headers': 'malformed' }],
  ['an unknown algorithm', { alg: 'none' }, { algorithm: 'algorithm' }],
])('no key is looked for with %s', async (_, header, failures) => {
  const token = forgeGood(header, () => Buffer.alloc(64))
  expect(await failuresOf(token)).toEqual({ ...failures, key: 'skipped', signature: 'skipped' })
})

test('the check of the signature is skipped where its key is missing', async () => {
  const strange = await signClaims(await createTestKey('ES256', 'strange'))
  expect(await failuresOf(strange)).toEqual({ key: 'unknown-key', signature: 'skipped' })
})

test('an audience that nothing is compared with is skipped', async () => {
  expect(await failuresOf(await signClaims(key), { audiences: [] })).toEqual({ audience: 'skipped' })
})

test('a text that is not a JWT is read no further', async () => {
  const { checks, jwt } = await examine('token')
  const [first, ...others] = checks
  expect({ first, others: new Set(others.map(({ outcome }) => outcome)), jwt }).toEqual({
    first: { name: 'form', outcome: 'fail', note: 'it is not a JWT, which has three parts', reason: 'malformed' },
    others: new Set(['skipped']),
    jwt: undefined,
  })
})

test('facts of any token can stand in a header and in a line of a log', async () => {
  const strange = `a\r\nX: y\u202e"é${'b'.repeat(500)}`
  const { checks } = await examine(
    await signClaims(key, { sub: strange, aud: [strange, 'b', 'c', 'd'], iss: strange }, { typ: strange }),
  )
  expect({
    checks: checks.filter(({ note }) => !/^[\x20-\x7e]{1,600}$/.test(note)),
    note: checks.find(({ name }) => name === 'subject')?.note,
  }).toEqual({ checks: [], note: `it is about "a\\r\\nX: y\\u202e\\"\\u00e9${'b'.repeat(90)}"...` })
})

function examine(token: string, trust: Partial<JwtTrust> = {}) {
  const keys = createIssuerKeys({ fetch: () => Promise.reject(new Error('nothing is fetched here')), now: () => now })
  return examineJwt(token, { trusts: [createTrust([key], trust)], keys, now, clockSkewSec: 30 })
}

/** By the name of the check, the reason, or that it was skipped. */
async function failuresOf(token: string, trust: Partial<JwtTrust> = {}) {
  const { checks } = await examine(token, trust)
  return Object.fromEntries(
    checks.flatMap((check) =>
      check.outcome === 'pass' ? [] : [[check.name, check.outcome === 'fail' ? check.reason : check.outcome]],
    ),
  )
}
