import { describe, expect, test } from 'vitest'
import { createTestKey, createTrust, signClaims, type TestKey } from './issuer.ts'
import { createVerdict } from './verdict.ts'

const old = await createTestKey('ES256', 'old')
const next = await createTestKey('ES256', 'new')

/** Creates an issuer whose keys a test changes, and what is asked of it. */
function createSide(keys: readonly TestKey[]) {
  const issuer = { keys, status: 200, asked: 0 }
  const trust = createTrust([], { keys: { url: 'https://id.example/jwks' } })
  const verdictOf = createVerdict([trust], async () => {
    issuer.asked += 1
    return Response.json({ keys: issuer.keys.map(({ jwk }) => jwk) }, { status: issuer.status })
  })
  return { issuer, verdictOf }
}

/** Publishes and signs like an issuer that gives its keys no `kid`. */
function strip(key: TestKey): TestKey {
  const { kid: _, ...jwk } = key.jwk
  return { ...key, jwk }
}
const unnamed = { kid: undefined }

describe('keys with a name', () => {
  test('a token by a new key is accepted at once, unlike one by the old key', async () => {
    const { issuer, verdictOf } = createSide([old])
    const tokens = [await signClaims(old), await signClaims(next)] as const
    expect(await verdictOf(tokens[0])).toBe('accepted')
    issuer.keys = [next]
    expect([await verdictOf(tokens[1]), await verdictOf(tokens[0]), issuer.asked]).toEqual([
      'accepted',
      'unknown-key',
      2,
    ])
  })

  test('a signature that does not hold does not lead to a request for keys', async () => {
    const { issuer, verdictOf } = createSide([old])
    expect([await verdictOf(await signClaims({ ...next, kid: 'old' })), issuer.asked]).toEqual(['signature', 1])
  })

  test('a token is undecided where its issuer answers nothing good', async () => {
    const { issuer, verdictOf } = createSide([old])
    issuer.status = 500
    expect([await verdictOf(await signClaims(old)), issuer.asked]).toEqual(['keys-unavailable', 1])
  })
})

describe('keys without a name', () => {
  test('a token by a new key is accepted, because the keys are asked for again', async () => {
    const { issuer, verdictOf } = createSide([strip(old)])
    const verdicts = [await verdictOf(await signClaims(old, {}, unnamed))]
    issuer.keys = [strip(next)]
    verdicts.push(await verdictOf(await signClaims(next, {}, unnamed)))
    const { asked } = issuer
    verdicts.push(await verdictOf(await signClaims(old, {}, unnamed)))
    expect({ verdicts, asked }).toEqual({ verdicts: ['accepted', 'accepted', 'signature'], asked: 2 })
  })

  test('many bad signatures lead to one request for the keys', async () => {
    const { issuer, verdictOf } = createSide([strip(old)])
    const bad = await signClaims(next, {}, unnamed)
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => verdictOf(bad)))
    expect([new Set(verdicts), issuer.asked]).toEqual([new Set(['signature']), 2])
  })

  test.each([
    ['fails then', async () => ({ status: 500 })],
    ['has no such key left', async () => ({ keys: [await createTestKey('EdDSA')] })],
  ])('a signature is not believed because its issuer %s', async (_, change) => {
    const { issuer, verdictOf } = createSide([strip(old)])
    await verdictOf(await signClaims(old, {}, unnamed))
    Object.assign(issuer, await change())
    expect(await verdictOf(await signClaims(next, {}, unnamed))).toBe('signature')
  })
})
