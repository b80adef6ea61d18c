import { createHmac, createPublicKey, KeyObject, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { forgeGood } from './forge.ts'
import { createTestKey, createTrust, goodClaims, signClaims } from './issuer.ts'
import { createVerdict } from './verdict.ts'

const key = await createTestKey('ES256')
const attacker = await createTestKey('ES256', 'attacker')
const verdictOf = createVerdict([createTrust([key])])
const signature = () => Buffer.alloc(64, 1)

test('a good token of the same making is accepted', async () => {
  expect(await verdictOf(await signClaims(key))).toBe('accepted')
})

describe('a token without a signature is refused in any spelling of "none"', () => {
  const spellings = Array.from({ length: 16 }, (_, bits) =>
    [...'none'].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
  )
  test.each(spellings)('refuses the algorithm %s', async (alg) => {
    const header = { alg, kid: key.kid, typ: 'JWT' }
    const bare = forgeGood(header, () => Buffer.alloc(0))
    const signed = (await signClaims(key)).split('.')[2]
    expect([
      await verdictOf(bare),
      await verdictOf(`${bare}${signed}`),
      await verdictOf(forgeGood(header, signature)),
    ]).toEqual(['malformed', 'algorithm', 'algorithm'])
  })
})

describe('an algorithm that is not in the list', () => {
  test.each<[unknown]>([
    ['HS256'],
    ['es256'],
    ['ES256 '],
    ['ES256\0'],
    ['ES256K'],
    ['RS1'],
    ['RSA-OAEP'],
    ['dir'],
    ['toString'],
    ['__proto__'],
    [''],
    [null],
    [0],
    [true],
    [['ES256']],
    [{ ES256: 1 }],
    [undefined],
  ])('%j is refused', async (alg) => {
    expect(await verdictOf(forgeGood({ alg, kid: key.kid }, signature))).toBe('algorithm')
  })

  test('is refused where the policy leaves it out', async () => {
    const strict = createVerdict([createTrust([key], { algorithms: ['ES384'] })])
    expect(await strict(await signClaims(key))).toBe('algorithm')
  })

  test('is refused where the policy names a symmetric one by mistake', async () => {
    const careless = createVerdict([createTrust([key], { algorithms: ['HS256', 'none', 'ES256'] })])
    const token = forgeGood({ alg: 'HS256', kid: key.kid }, (input) => createHmac('sha256', '').update(input).digest())
    expect(await careless(token)).toBe('algorithm')
  })
})

test('the public key is refused as a shared secret in every form in which it is published', async () => {
  const published = createPublicKey({ key: { ...key.jwk }, format: 'jwk' })
  const { x = '', y = '' } = key.jwk
  const point = Buffer.from(x + y, 'base64url')
  const secrets: (string | Buffer)[] = [
    published.export({ format: 'pem', type: 'spki' }),
    published.export({ format: 'pem', type: 'spki' }).toString().trim(),
    published.export({ format: 'der', type: 'spki' }),
    ...[JSON.stringify(key.jwk), JSON.stringify({ keys: [key.jwk] }), x, y, x + y, key.kid, ''],
    ...[Buffer.from(x, 'base64url'), point, Buffer.concat([Buffer.of(4), point])],
  ]
  const mark = (alg: string, secret: string | Buffer) =>
    forgeGood({ alg, kid: key.kid }, (input) => createHmac(alg.replace('HS', 'sha'), secret).update(input).digest())
  const tokens = ['HS256', 'HS384', 'HS512'].flatMap((alg) => secrets.map((secret) => mark(alg, secret)))
  expect(new Set(await Promise.all(tokens.map(verdictOf)))).toEqual(new Set(['algorithm']))
})

test('a shared secret that an issuer publishes signs nothing', async () => {
  const secret = { kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url'), kid: 'shared', alg: 'HS256' }
  const verdict = createVerdict([createTrust([], { keys: { inline: { keys: [secret, key.jwk] } } })])
  const token = (alg: string) =>
    forgeGood({ alg, kid: 'shared' }, (input) => createHmac('sha256', Buffer.alloc(32, 7)).update(input).digest())
  expect([await verdict(token('HS256')), await verdict(token('ES256'))]).toEqual(['algorithm', 'unknown-key'])
})

describe('a token that brings its own key', () => {
  test.each<[string, object]>([
    ['jwk', { jwk: attacker.jwk }],
    ['jwk with the known name', { jwk: { ...attacker.jwk, kid: key.kid } }],
    ['jku', { jku: 'https://evil.example/jwks' }],
    ['x5u', { x5u: 'https://evil.example/cert' }],
    ['x5c', { x5c: ['MIIB'] }],
    ['all of them', { jwk: attacker.jwk, jku: 'https://evil.example', x5u: 'https://evil.example', x5c: [] }],
  ])('refuses %s', async (_, header) => {
    const secret = KeyObject.from(attacker.secret)
    const token = (more: object) =>
      forgeGood({ alg: 'ES256', ...header, ...more }, (input) =>
        sign('sha256', input, { key: secret, dsaEncoding: 'ieee-p1363' }),
      )
    expect([
      await verdictOf(token({ kid: key.kid })),
      await verdictOf(token({ kid: attacker.kid })),
      await verdictOf(token({})),
    ]).toEqual(['signature', 'unknown-key', 'signature'])
  })
})

describe('a header that makes the token something else', () => {
  test.each<[object]>([
    [{ crit: ['exp'], exp: 1 }],
    [{ crit: ['b64'], b64: false }],
    [{ crit: [] }],
    [{ crit: null }],
    [{ crit: 'b64' }],
    [{ b64: false }],
    [{ b64: 'true' }],
    [{ zip: 'DEF' }],
    [{ enc: 'A256GCM' }],
    [{ kid: 1 }],
    [{ kid: null }],
    [{ kid: ['key-ES256'] }],
  ])('%j is refused', async (header) => {
    const secret = KeyObject.from(key.secret)
    const token = forgeGood({ alg: 'ES256', kid: key.kid, ...header }, (input) =>
      sign('sha256', input, { key: secret, dsaEncoding: 'ieee-p1363' }),
    )
    expect(await verdictOf(token)).toBe('malformed')
  })

  test.each<[object]>([[{ b64: true }], [{ cty: 'JWT' }], [{ x5t: 'x', unknown: {} }], [{ typ: undefined }]])(
    '%j is accepted, because it changes nothing',
    async (header) => {
      const secret = KeyObject.from(key.secret)
      const token = forgeGood({ alg: 'ES256', kid: key.kid, ...header }, (input) =>
        sign('sha256', input, { key: secret, dsaEncoding: 'ieee-p1363' }),
      )
      expect(await verdictOf(token)).toBe('accepted')
    },
  )
})

test.each(['../../../dev/null', "' OR 1=1 --", '$(id)', 'https://evil.example/k', '', 'a\nb', 'constructor'])(
  'a key of the name %j is looked for only among the names',
  async (kid) => {
    expect(await verdictOf(await signClaims({ ...attacker, kid }))).toBe('unknown-key')
  },
)

describe('two issuers', () => {
  const other = createTestKey('ES256', 'key-ES256 of another issuer')
  const named = async () => ({ ...(await other), jwk: { ...(await other).jwk, kid: key.kid }, kid: key.kid })
  const b = 'https://b.example'

  test('with keys of one name sign for themselves only', async () => {
    const key2 = await named()
    const verdict = createVerdict([createTrust([key]), createTrust([key2], { issuer: b, audiences: ['b'] })])
    expect([
      await verdict(await signClaims(key)),
      await verdict(await signClaims(key2, { iss: b, aud: 'b' })),
      await verdict(await signClaims(key2)),
      await verdict(await signClaims(key, { iss: b, aud: 'b' })),
      await verdict(await signClaims(key2, { iss: b })),
    ]).toEqual(['accepted', 'accepted', 'signature', 'signature', 'audience'])
  })

  test.each<[unknown]>([
    ['https://id.example/'],
    ['https://ID.example'],
    ['http://id.example'],
    [' https://id.example'],
    ['https://id.example\0'],
    ['constructor'],
    [''],
    [[goodClaims.iss]],
    [{}],
    [null],
    [undefined],
  ])('%j is not one of them', async (iss) => {
    expect(await verdictOf(await signClaims(key, { iss }))).toBe('issuer')
  })
})

describe('the type of a token', () => {
  const access = createVerdict([createTrust([key], { types: ['at+jwt'] })])
  test.each<[unknown, string]>([
    ['at+jwt', 'accepted'],
    ['AT+JWT', 'accepted'],
    ['application/at+jwt', 'accepted'],
    ['JWT', 'unknown-kind'],
    ['at', 'unknown-kind'],
    ['application/application/at+jwt', 'unknown-kind'],
    [undefined, 'unknown-kind'],
    [null, 'unknown-kind'],
    [['at+jwt'], 'unknown-kind'],
  ])('%j is, where at+jwt is wanted, %s', async (typ, verdict) => {
    expect(await access(await signClaims(key, {}, { typ }))).toBe(verdict)
  })
})
