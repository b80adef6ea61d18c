import { constants, createHash, KeyObject, privateEncrypt, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodePss, type PssFlaws } from './encode-pss.ts'
import { forgeGood } from './forge.ts'
import { createTestKey, createTrust } from './issuer.ts'
import { createVerdict } from './verdict.ts'

/*
 * The kinds of cases that wycheproof has for RSA in json_web_signature_test.json, with keys and signatures of our own: modified
 * PKCS #1 padding (tags, lengths, OIDs, NULL, garbage and zeros in every place of the DigestInfo), PSS with modified hash, salt,
 * padding, masked block, trailer and length of salt, signatures that are 0, 1, n-1, n, not reduced, longer or shorter, another
 * algorithm of the same key, none.
 */
const rs256 = await createTestKey('RS256')
const ps256 = await createTestKey('PS256')
const verdictOf = createVerdict([createTrust([rs256, ps256])])
const secret = KeyObject.from(rs256.secret)
const pssSecret = KeyObject.from(ps256.secret)

/** Returns the raw operation of the key, over a block that a test has made. */
function raw(block: Buffer, key = secret): Buffer {
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, block)
}

const bytes = 256
const sha256 = (input: Buffer) => createHash('sha256').update(input).digest()

/** DER of the DigestInfo of SHA-256 up to the digest (RFC 8017, section 9.2). */
const prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex')

function pad(content: Buffer): Buffer {
  const fill = Buffer.alloc(Math.max(0, bytes - 3 - content.length), 0xff)
  return Buffer.concat([Buffer.of(0, 1), fill, Buffer.of(0), content])
}

const forgeRs256 = (block: (digest: Buffer) => Buffer) =>
  forgeGood({ alg: 'RS256', kid: rs256.kid }, (input) => raw(block(sha256(input))))

test('the block of this test is valid unless it is changed', async () => {
  expect(await verdictOf(forgeRs256((digest) => pad(Buffer.concat([prefix, digest]))))).toBe('accepted')
})

describe('PKCS #1', () => {
  const info = (digest: Buffer) => Buffer.concat([prefix, digest])
  const changed = Array.from({ length: prefix.length }, (_, at) => {
    const edit = (flip: number) => (digest: Buffer) => {
      const block = info(digest)
      block[at]! ^= flip
      return pad(block)
    }
    return [1, 0x20, 0x80, 0xff].map((flip): [string, (digest: Buffer) => Buffer] => [
      `byte ${at} of the DigestInfo changed by ${flip}`,
      edit(flip),
    ])
  }).flat()
  const hex = (text: string, digest: Buffer) => pad(Buffer.concat([Buffer.from(text, 'hex'), digest]))
  const setAt = (at: number, value: number) => (digest: Buffer) => {
    const block = pad(info(digest))
    block[at] = value
    return block
  }
  test.each<[string, (digest: Buffer) => Buffer]>([
    ...changed,
    ['no NULL', (digest) => hex('302f300b060960864801650304020104 20'.replace(' ', ''), digest)],
    ['a length of the long form', (digest) => hex('308131300d060960864801650304020105000420', digest)],
    ['a length with a zero before', (digest) => hex('30820031300d060960864801650304020105000420', digest)],
    [
      'an indefinite length',
      (digest) => pad(Buffer.concat([Buffer.from('3080', 'hex'), info(digest).subarray(2), Buffer.alloc(2)])),
    ],
    [
      'a length of 2^32 and ours',
      (digest) => hex('308501000000 31300d060960864801650304020105000420'.replace(' ', ''), digest),
    ],
    ['a NULL with a value', (digest) => hex('3033300f0609608648016503040201050200000420', digest)],
    ['the name of SHA-1', (digest) => hex('3021300906052b0e03021a05000414', digest.subarray(0, 20))],
    ['no DigestInfo', (digest) => pad(digest)],
    ['garbage after the digest', (digest) => pad(Buffer.concat([info(digest), Buffer.from('garbage')]))],
    ['zeros after the digest', (digest) => pad(Buffer.concat([info(digest), Buffer.alloc(8)]))],
    ['zeros before the DigestInfo', (digest) => pad(Buffer.concat([Buffer.alloc(8), info(digest)]))],
    [
      'short padding and garbage, as for the exponent 3',
      (digest) =>
        Buffer.concat([Buffer.from('0001ffffffffffffffff00', 'hex'), info(digest), Buffer.alloc(bytes - 11 - 51, 1)]),
    ],
    ['no padding', (digest) => Buffer.concat([Buffer.alloc(bytes - 51), info(digest)])],
    ['a first byte that is not zero', setAt(0, 1)],
    ['a block for encryption', setAt(1, 2)],
    ['a block of type zero', setAt(1, 0)],
    ['a padding with another byte', setAt(20, 0xfe)],
    ['a padding that ends early', setAt(20, 0)],
    ['a padding that does not end', setAt(bytes - 52, 0xff)],
    [
      'a digest with another bit',
      (digest) => pad(info(Buffer.concat([digest.subarray(0, 31), Buffer.of(digest[31]! ^ 1)]))),
    ],
    ['the digest of nothing', () => pad(info(sha256(Buffer.alloc(0))))],
  ])('refuses %s', async (_, block) => {
    expect(await verdictOf(forgeRs256(block))).toBe('signature')
  })
})

describe('PSS', () => {
  const forgePs256 = (flaws: PssFlaws) =>
    forgeGood({ alg: 'PS256', kid: ps256.kid }, (input) => raw(encodePss(sha256(input), bytes, flaws), pssSecret))

  test('the block of this test is valid unless it is changed', async () => {
    const salts = [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.alloc(32, 7)]
    const verdicts = await Promise.all(salts.map((salt) => verdictOf(forgePs256({ salt }))))
    expect(verdicts).toEqual(['accepted', 'accepted', 'accepted'])
  })

  test.each<[string, PssFlaws]>([
    ...[0, 20, 31, 33, 48, 64, 222].map((length): [string, PssFlaws] => [
      `a salt of ${length} bytes`,
      { salt: Buffer.alloc(length, 1) },
    ]),
    ['another hash of the message', { editDigest: (digest) => Buffer.from(digest.map((byte) => byte ^ 1)) }],
    [
      'the first byte of the hash',
      { editHash: (hash) => Buffer.from(hash.map((byte, at) => (at === 0 ? byte ^ 1 : byte))) },
    ],
    [
      'the last byte of the hash',
      { editHash: (hash) => Buffer.from(hash.map((byte, at) => (at === 31 ? byte ^ 1 : byte))) },
    ],
    ['a hash of zeros', { editHash: () => Buffer.alloc(32) }],
    ['a padding that is not zero', { editBlock: (block) => block.fill(1, 0, 1) }],
    ['a separator of another value', { editBlock: (block) => block.fill(2, block.length - 33, block.length - 32) }],
    ['a salt that is not the one hashed', { editBlock: (block) => block.fill(9, block.length - 32) }],
    ['a mask by another hash', { maskHash: 'sha1' }],
    ['no mask', { maskHash: 'none' }],
    ['another trailer', { trailer: 0xcc }],
  ])('refuses %s', async (_, flaws) => {
    expect(await verdictOf(forgePs256(flaws))).toBe('signature')
  })
})

describe.each([rs256, ps256])('a signature of another value: $alg', ({ alg, kid, jwk, secret: cryptoKey }) => {
  const key = KeyObject.from(cryptoKey)
  const modulus = BigInt(`0x${Buffer.from(jwk.n ?? '', 'base64url').toString('hex')}`)
  const toBytes = (value: bigint, length = bytes) => Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex')
  const pss = alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}
  const change = (edit: (signature: Buffer) => Uint8Array) =>
    forgeGood({ alg, kid }, (input) => edit(sign('sha256', input, { key, ...pss })))
  const value = (signature: Buffer) => BigInt(`0x${signature.toString('hex')}`)

  test.each<[string, (signature: Buffer) => Uint8Array]>([
    ['0', () => toBytes(0n)],
    ['1', () => toBytes(1n)],
    ['n-1', () => toBytes(modulus - 1n)],
    ['n', () => toBytes(modulus)],
    ['n+1', () => toBytes(modulus + 1n)],
    ['not reduced', (signature) => toBytes(value(signature) + modulus, bytes + 1)],
    ['n less it', (signature) => toBytes(modulus - value(signature))],
    ['a zero before', (signature) => Buffer.concat([Buffer.of(0), signature])],
    ['a zero after', (signature) => Buffer.concat([signature, Buffer.of(0)])],
    ['truncated', (signature) => signature.subarray(0, bytes - 1)],
    ['truncated before', (signature) => signature.subarray(1)],
    ['its first bit', (signature) => Buffer.from(signature.map((byte, at) => (at === 0 ? byte ^ 1 : byte)))],
    ['its last bit', (signature) => Buffer.from(signature.map((byte, at) => (at === bytes - 1 ? byte ^ 1 : byte)))],
  ])('refuses %s', async (_, edit) => {
    expect(await verdictOf(change(edit))).toBe('signature')
  })

  test('accepts the original value', async () => {
    expect(await verdictOf(change((signature) => signature))).toBe('accepted')
  })
})

describe('another algorithm of the same key', () => {
  const pkcs = (hash: string) => (input: Buffer) => sign(hash, input, secret)
  const pss = (hash: string, saltLength: number) => (input: Buffer) =>
    sign(hash, input, { key: secret, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
  const all = { algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] }
  const { alg: _, ...jwk } = rs256.jwk
  const free = { ...rs256, jwk }
  test.each<[string, string, (input: Buffer) => Buffer, named: string, free: string]>([
    ['RS256', 'RS256', pkcs('sha256'), 'accepted', 'accepted'],
    ['RS384', 'RS384', pkcs('sha384'), 'unknown-key', 'accepted'],
    ['PS256', 'PS256', pss('sha256', 32), 'unknown-key', 'accepted'],
    ['PS512', 'PS512', pss('sha512', 64), 'unknown-key', 'accepted'],
    ['RS384 called RS256', 'RS256', pkcs('sha384'), 'signature', 'signature'],
    ['RS512 called RS256', 'RS256', pkcs('sha512'), 'signature', 'signature'],
    ['RS1 called RS256', 'RS256', pkcs('sha1'), 'signature', 'signature'],
    ['PS256 called RS256', 'RS256', pss('sha256', 32), 'signature', 'signature'],
    ['RS256 called PS256', 'PS256', pkcs('sha256'), 'unknown-key', 'signature'],
    ['PS384 called PS256', 'PS256', pss('sha384', 48), 'unknown-key', 'signature'],
    ['PS256 with the salt of PS384', 'PS256', pss('sha256', 48), 'unknown-key', 'signature'],
  ])('accepts %s only where the key allows it', async (_, alg, signBy, named, unnamed) => {
    const token = forgeGood({ alg, kid: rs256.kid }, signBy)
    expect([
      await createVerdict([createTrust([rs256], all)])(token),
      await createVerdict([createTrust([free], all)])(token),
    ]).toEqual([named, unnamed])
  })
})
