import { KeyObject, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { forgeGood } from './forge.ts'
import { createTestKey, createTrust, goodClaims, signClaims, type TestKey } from './issuer.ts'
import { createVerdict } from './verdict.ts'

const p256 = await createTestKey('ES256')
const other = await createTestKey('ES256', 'other')
const p384 = await createTestKey('ES384')
const ed25519 = await createTestKey('EdDSA')
const verdictOf = createVerdict([createTrust([p256, p384, ed25519])])

/** The order of P-256 (FIPS 186-4, D.1.2.3). */
const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** The order of Ed25519 (RFC 8032, section 5.1). */
const l = 2n ** 252n + 27742317777372353535851937790883648493n

const toBytes = (value: bigint, length = 32) => Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex')
const fromBytes = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const reversed = (bytes: Uint8Array) => Uint8Array.from(bytes).reverse()

function signEs256(input: Buffer, { secret }: TestKey = p256): Buffer {
  return sign('sha256', input, { key: KeyObject.from(secret), dsaEncoding: 'ieee-p1363' })
}

/** Returns a good token by ES256 whose signature is changed. */
function change(edit: (signature: Buffer, r: bigint, s: bigint) => Uint8Array): string {
  return forgeGood({ alg: 'ES256', kid: p256.kid }, (input) => {
    const signature = signEs256(input)
    return edit(signature, fromBytes(signature.subarray(0, 32)), fromBytes(signature.subarray(32)))
  })
}

test('a token with the right signature is accepted', async () => {
  expect(await verdictOf(change((signature) => signature))).toBe('accepted')
})

describe('ECDSA: a signature of another form', () => {
  const der = (input: Buffer) => sign('sha256', input, KeyObject.from(p256.secret))
  test.each<[string, string]>([
    ['DER', forgeGood({ alg: 'ES256', kid: p256.kid }, der)],
    ['one byte too few', change((signature) => signature.subarray(0, 63))],
    ['half of it', change((signature) => signature.subarray(0, 32))],
    ['one byte', change(() => Buffer.of(0))],
    ['a zero after it', change((signature) => Buffer.concat([signature, Buffer.of(0)]))],
    ['a zero before it', change((signature) => Buffer.concat([Buffer.of(0), signature]))],
    ['longer halves', change((_, r, s) => Buffer.concat([toBytes(r, 48), toBytes(s, 48)]))],
    ['twice', change((signature) => Buffer.concat([signature, signature]))],
    ['r and s exchanged', change((_, r, s) => Buffer.concat([toBytes(s), toBytes(r)]))],
    ['of another text', change(() => signEs256(Buffer.from('another')))],
    ['by another key', forgeGood({ alg: 'ES256', kid: p256.kid }, (input) => signEs256(input, other))],
    ['10 KB of it', change(() => Buffer.alloc(10_000, 1))],
  ])('refuses %s', async (_, token) => {
    expect(await verdictOf(token)).toBe('signature')
  })

  const edges = { '0': 0n, '1': 1n, 'n-1': n - 1n, n, 'n+1': n + 1n, largest: 2n ** 256n - 1n }
  const pairs = Object.entries(edges).flatMap(([r, left]) =>
    Object.entries(edges).map(([s, right]): [string, string, Buffer] => [
      r,
      s,
      Buffer.concat([toBytes(left), toBytes(right)]),
    ]),
  )
  test.each(pairs)('refuses a signature in which r is %s and s is %s', async (_r, _s, signature) => {
    expect(await verdictOf(change(() => signature))).toBe('signature')
  })

  test.each<[string, string]>([
    ['r is zero', change((_, _r, s) => Buffer.concat([toBytes(0n), toBytes(s)]))],
    ['s is zero', change((_, r) => Buffer.concat([toBytes(r), toBytes(0n)]))],
    ['r is not of this token', change((_, r, s) => Buffer.concat([toBytes((r + 1n) % n), toBytes(s)]))],
  ])('refuses a signature in which %s', async (_, token) => {
    expect(await verdictOf(token)).toBe('signature')
  })
})

describe('Ed25519', () => {
  const edit = (changed: (signature: Buffer) => Uint8Array) =>
    forgeGood({ alg: 'EdDSA', kid: ed25519.kid }, (input) => changed(sign(null, input, KeyObject.from(ed25519.secret))))
  const withS = (change: (s: bigint) => bigint) =>
    edit((signature) => {
      const s = change(fromBytes(reversed(signature.subarray(32)))) % 2n ** 256n
      return Buffer.concat([signature.subarray(0, 32), reversed(toBytes(s))])
    })

  test.each<[string, string]>([
    ['s and the order, which is the same point', withS((s) => s + l)],
    ['s is zero', withS(() => 0n)],
    ['s is the order', withS(() => l)],
    ['the negative of s', withS((s) => l - s)],
    ['zeros', edit(() => Buffer.alloc(64))],
    ['the neutral point and zero', edit(() => Buffer.concat([Buffer.of(1), Buffer.alloc(63)]))],
    ['one byte too few', edit((signature) => signature.subarray(0, 63))],
    ['a zero after it', edit((signature) => Buffer.concat([signature, Buffer.of(0)]))],
    ['another point', edit((signature) => Buffer.concat([Buffer.of(signature[0]! ^ 1), signature.subarray(1)]))],
  ])('refuses a signature with %s', async (_, token) => {
    expect(await verdictOf(token)).toBe('signature')
  })

  test('accepts the right signature', async () => {
    expect(await verdictOf(edit((signature) => signature))).toBe('accepted')
  })
})

describe('a key is for its own algorithm', () => {
  const by = (alg: string, kid: string | undefined, hash: string | null, { secret }: TestKey) =>
    forgeGood({ alg, kid }, (input) => sign(hash, input, { key: KeyObject.from(secret), dsaEncoding: 'ieee-p1363' }))
  test.each<[string, string, reason: string]>([
    ['P-256 as ES384', by('ES384', p256.kid, 'sha384', p256), 'unknown-key'],
    ['P-256 as ES512', by('ES512', p256.kid, 'sha512', p256), 'unknown-key'],
    ['P-384 as ES256', by('ES256', p384.kid, 'sha256', p384), 'unknown-key'],
    ['P-256 as ES384, by the key of that', by('ES384', p384.kid, 'sha384', p256), 'signature'],
    ['P-256 with another hash', by('ES256', p256.kid, 'sha384', p256), 'signature'],
    ['P-256 as EdDSA', by('EdDSA', p256.kid, 'sha256', p256), 'unknown-key'],
    ['Ed25519 as ES256', by('ES256', ed25519.kid, null, ed25519), 'unknown-key'],
    ['a key for EdDSA as Ed25519', by('Ed25519', ed25519.kid, null, ed25519), 'unknown-key'],
    ['P-256 as RS256', by('RS256', p256.kid, 'sha256', p256), 'unknown-key'],
    ['no name: the only one that fits', by('ES256', undefined, 'sha256', p256), 'accepted'],
    ['no name: not another one', by('ES256', undefined, 'sha256', p384), 'signature'],
  ])('refuses %s', async (_, token, reason) => {
    expect(await verdictOf(token)).toBe(reason)
  })
})

test('no byte of a token can be changed', async () => {
  const token = await signClaims(p256)
  const letters = [...token].flatMap((letter, at) =>
    letter === '.' || at % 2 ? [] : [`${token.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`],
  )
  const verdicts = await Promise.all(letters.map(verdictOf))
  const accepted = verdicts.filter((verdict) => verdict === 'accepted')
  expect({ areMany: letters.length > 100, accepted }).toEqual({ areMany: true, accepted: [] })
})

test('other claims are refused with the signature of a good token', async () => {
  const [header, , signature] = (await signClaims(p256)).split('.')
  const claims = Buffer.from(JSON.stringify({ ...goodClaims, sub: 'admin' })).toString('base64url')
  expect(await verdictOf(`${header}.${claims}.${signature}`)).toBe('signature')
})

test('the second value of an ECDSA signature is accepted, and does not make another use', async () => {
  const second = change((_, r, s) => Buffer.concat([toBytes(r), toBytes(n - s)]))
  expect(await verdictOf(second)).toBe('accepted')
})
