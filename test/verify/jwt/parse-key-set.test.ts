import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { selectKey } from '../../../src/verify/jwt/key-finder.ts'
import { parseKeySet } from '../../../src/verify/jwt/parse-key-set.ts'
import { createTestKey } from './issuer.ts'

const es256 = (await createTestKey('ES256')).jwk
const another = (await createTestKey('ES256', 'b')).jwk
const es384 = (await createTestKey('ES384')).jwk
const ed25519 = (await createTestKey('EdDSA')).jwk
/** Any odd number is a modulus, as far as a public key goes. */
const rsa = { kty: 'RSA', e: 'AQAB', n: modulus(2048), kid: 'rsa' }

function modulus(bits: number, value = (1n << BigInt(bits - 1)) + 1n): string {
  return Buffer.from(value.toString(16).padStart(bits / 4, '0'), 'hex').toString('base64url')
}

/** Returns the keys of a set by their names, each with its algorithms, and what is said of the others. */
function summarize(value: unknown) {
  const set = parseKeySet(value)
  if ('problem' in set) return set
  return { keys: set.keys.map(({ kid, algorithms }) => [kid, ...algorithms]), unused: set.unused }
}

describe('the use of a key', () => {
  test.each<[string, object, string[]]>([
    ['an RSA key', rsa, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ['one of 8192 bits', { ...rsa, n: modulus(8192) }, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ['one with an algorithm', { ...rsa, alg: 'PS256' }, ['PS256']],
    ['the exponent 3', { ...rsa, alg: 'RS256', e: 'Aw' }, ['RS256']],
    ['P-256', { ...es256, alg: undefined }, ['ES256']],
    ['P-384', es384, ['ES384']],
    ['Ed25519', { ...ed25519, alg: undefined }, ['EdDSA', 'Ed25519']],
    ['Ed25519 by its newer name', { ...ed25519, alg: 'Ed25519' }, ['Ed25519']],
    ['one for verifying', { ...es256, use: undefined, key_ops: ['verify'] }, ['ES256']],
    ['one with members that nobody knows', { ...es256, issuer: 'x', x5c: ['x'] }, ['ES256']],
  ])('%s has its algorithms', (_, key, algorithms) => {
    expect(summarize({ keys: [key] })).toEqual({ keys: [[Object(key).kid, ...algorithms]], unused: [] })
  })
})

/** Modulo each of these primes it is 65537 to the third. */
const marked = (() => {
  const product = [2, 3, 5, 7, 11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]
  const step = product.reduce((all, prime) => all * BigInt(prime), 1n)
  return ((1n << 2047n) / step + 1n) * step + 65_537n ** 3n
})()

describe('a set of two keys', () => {
  test.each<[string, unknown, unused: string]>([
    ['a shared secret', { kty: 'oct', k: 'c2VjcmV0' }, 'is a shared secret, which is never published'],
    ['a private key', { ...es256, d: 'c2VjcmV0' }, 'shows its private part, so that anybody can sign with it'],
    ['one for encryption', { ...es256, use: 'enc' }, 'is not for signatures (use)'],
    ['one for something else', { ...es256, use: ['sig'] }, 'is not for signatures (use)'],
    ['one for signing only', { ...es256, key_ops: ['sign'] }, 'is not for verifying (key_ops)'],
    ['operations as a text', { ...es256, key_ops: 'verify' }, 'is not for verifying (key_ops)'],
    ['a kid that is a number', { ...es256, kid: 1 }, 'has a kid that is not a string'],
    ['an algorithm of another curve', { ...es256, alg: 'ES384' }, 'is for no algorithm that is accepted'],
    ['a symmetric algorithm', { ...rsa, alg: 'HS256' }, 'is for no algorithm that is accepted'],
    ['an algorithm to encrypt', { ...rsa, alg: 'RSA-OAEP' }, 'is for no algorithm that is accepted'],
    ['another curve', { ...es256, crv: 'secp256k1', alg: undefined }, 'is for no algorithm that is accepted'],
    ['a curve to agree keys on', { ...ed25519, crv: 'X25519', alg: undefined }, 'is for no algorithm that is accepted'],
    ['another type', { kty: 'AKP', pub: 'x' }, 'is for no algorithm that is accepted'],
    ['no type', {}, 'is for no algorithm that is accepted'],
    ['no object', 'key', 'is for no algorithm that is accepted'],
    ['null', null, 'is for no algorithm that is accepted'],
    ['a point that is not on its curve', { ...es256, y: es256.x }, 'cannot be imported'],
    ['a point of another curve', { ...es256, x: es384.x, y: es384.y }, 'cannot be imported'],
    ['a number as coordinate', { ...es256, x: 1 }, 'cannot be imported'],
    ['half a point', { ...es256, y: undefined }, 'cannot be imported'],
    ['1024 bits', { ...rsa, n: modulus(1024) }, 'has 1024 bits, fewer than 2048'],
    [
      '2047 bits with a zero before',
      { ...rsa, n: modulus(2048, (1n << 2046n) + 1n) },
      'has 2047 bits, fewer than 2048',
    ],
    ['16384 bits', { ...rsa, n: modulus(16_384) }, 'has 16384 bits, more than 8192'],
    ['the exponent 1', { ...rsa, e: 'AQ' }, 'has an exponent that is not usable'],
    ['an even exponent', { ...rsa, e: 'BA' }, 'has an exponent that is not usable'],
    ['a long exponent', { ...rsa, e: modulus(72) }, 'has an exponent that is not usable'],
    [
      'a modulus with the mark of weak primes',
      { ...rsa, n: modulus(2048, marked) },
      'is of a chip whose keys can be computed (CVE-2017-15361)',
    ],
  ])('leaves %s out and keeps the other one', (_, key, unused) => {
    expect(summarize({ keys: [es256, key] })).toEqual({ keys: [['key-ES256', 'ES256']], unused: [`key 2 ${unused}`] })
  })
})

describe('a value that is not a set', () => {
  test.each<[string, unknown, problem: string]>([
    ['nothing', undefined, 'gave no set of keys'],
    ['an object', {}, 'gave no set of keys'],
    ['a key', es256, 'gave no set of keys'],
    ['an object of keys', { keys: { a: es256 } }, 'gave no set of keys'],
    ['no key', { keys: [] }, 'gave no key that can be used'],
    [
      'no good key',
      { keys: [{ kty: 'oct' }, {}] },
      'gave no key that can be used: key 1 is a shared secret, which is never published; key 2 is for no algorithm that is accepted',
    ],
    ['ten thousand keys', { keys: Array(10_000).fill(es256) }, 'gave 10000 keys, which is more than 100'],
  ])('is refused: %s', (_, value, problem) => {
    expect(parseKeySet(value)).toEqual({ problem })
  })
})

test('a hundred keys are a set, of which the same ones count once', () => {
  const set = { keys: Array(100).fill(es256) }
  expect(summarize(set)).toEqual({ keys: [['key-ES256', 'ES256']], unused: [] })
})

describe('the key of a token', () => {
  const other = { ...es256, kid: 'other' }
  const unnamed = { ...es256, kid: undefined }
  const key = { key: createPublicKey({ key: { ...es256 }, format: 'jwk' }), kid: 'key-ES256', algorithms: ['ES256'] }
  test.each<[string, object[], kid: string | undefined, outcome: unknown]>([
    ['by its name', [es384, other, es256], 'key-ES256', { outcome: 'found', key }],
    ['of another name', [es256], 'other', { outcome: 'none' }],
    ['of the name, of another type', [{ ...es384, kid: 'a' }], 'a', { outcome: 'none' }],
    ['a name, and a key without one', [unnamed], 'key-ES256', { outcome: 'none' }],
    ['no name, and one that fits', [es384, es256], undefined, { outcome: 'found', key }],
    ['no name, and two that fit', [es256, other], undefined, { outcome: 'several', count: 2 }],
    ['a name that is a path', [es256], '../../key-ES256', { outcome: 'none' }],
    ['a name of a prototype', [es256], '__proto__', { outcome: 'none' }],
    ['the same key twice', [es256, { ...es256 }], 'key-ES256', { outcome: 'found', key }],
    ['two keys of one name', [es256, { ...another, kid: 'key-ES256' }], 'key-ES256', { outcome: 'several', count: 2 }],
  ])('is looked for %s', (_, keys, kid, outcome) => {
    const set = parseKeySet({ keys })
    if ('problem' in set) throw new Error(set.problem)
    expect(selectKey(set, { kid, alg: 'ES256' })).toEqual(outcome)
  })
})
