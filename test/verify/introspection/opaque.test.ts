import { createPublicKey, verify } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { goodClaims, nowSec } from '../jwt/issuer.ts'
import { createStage, good } from './opaque-stage.ts'

test('the answer is remembered for cacheSec, and not beyond the end of the token', async () => {
  const { world, asked, decide } = await createStage()
  const outcomes = [await decide(), await decide()]
  world.now += 29_999
  outcomes.push(await decide())
  const before = asked.length
  world.now += 1
  world.answer = async () => Response.json({ ...good, exp: nowSec + 35 })
  outcomes.push(await decide())
  world.now += 5_000
  outcomes.push(await decide())
  const passes = 'people: opaque https://id.example dana'
  expect({ outcomes, before, asked: asked.length }).toEqual({
    outcomes: [
      passes,
      passes,
      passes,
      passes,
      'expired: the provider says of the token: it expired at 2026-03-01T12:00:35Z',
    ],
    before: 1,
    asked: 3,
  })
})

test('the client proves who it is with an assertion for the issuer, for a minute and for one use', async () => {
  const { asked, decide, client } = await createStage()
  await decide('one')
  await decide('two')
  const read = ({ headers, body }: RequestInit) => {
    const { client_assertion: assertion = '', ...form } = Object.fromEntries(new URLSearchParams(String(body)))
    const [header = '', claims = '', signature = ''] = assertion.split('.')
    const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    const { jti, ...stated } = parse(claims)
    const key = { key: createPublicKey({ key: client.jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
    const holds = verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
    return { headers, form, header: parse(header), stated, holds, jti }
  }
  const [first, second] = asked.map(read)
  expect({ ...first, isOther: first?.jti !== second?.jti, jti: typeof first?.jti }).toEqual({
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    form: {
      token: 'one',
      token_type_hint: 'access_token',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    },
    header: { alg: 'ES256' },
    stated: { iss: 'gateway', sub: 'gateway', aud: goodClaims.iss, iat: nowSec, exp: nowSec + 60 },
    holds: true,
    isOther: true,
    jti: 'string',
  })
})

const told = 'the provider says of the token: '
const noObject = 'with no JSON object at /introspect, or with one that names a member twice'
const unavailable = 'introspection-unavailable: id.example answered'

test.each<[string, object, string]>([
  ['inactive', { active: false }, 'inactive: the provider says that it is not active'],
  ['active as a text', { active: 'true' }, `${unavailable} without "active" at /introspect`],
  ['no subject', { sub: undefined }, `malformed: ${told}it does not say whom it is about (sub)`],
  ['no end', { exp: undefined }, `malformed: ${told}it does not say when it expires (exp)`],
  ['another issuer', { iss: 'x' }, 'issuer: the provider answers that another issuer has issued the token'],
  ['another audience', { aud: 'x' }, `audience: ${told}it is for "x", not for "https://gateway.example"`],
  ['no audience', { aud: undefined }, `audience: ${told}it names no audience (aud)`],
  ['no type, as of a refresh token', { token_type: undefined }, 'unknown-kind: the provider does not say its type'],
  [
    'a refresh token',
    { token_type: 'refresh_token' },
    'unknown-kind: the provider says that its type is "refresh_token"',
  ],
  ['no scope', { scope: 'other' }, 'no-rule: no rule holds: people: scope (lacks one)'],
  [
    'a binding, and no proof',
    { cnf: { jkt: 'a'.repeat(43) } },
    'key-binding: it is bound to a key, and has to be sent with the scheme DPoP',
  ],
  [
    'an unknown binding',
    { cnf: { other: 1 } },
    `unknown-kind: ${told}it is bound in a way of which no proof is seen here (cnf)`,
  ],
])('a provider that answers with %s decides, although tokens pass while it is away', async (_, changes, outcome) => {
  const { world, decide } = await createStage()
  world.answer = async () => Response.json({ ...good, ...changes })
  expect(await decide()).toBe(outcome)
})

test.each<[string, Response, string]>([
  [
    'a huge body',
    new Response(`{"active": true, "x": "${'x'.repeat(70_000)}"}`),
    'HTTP 200 (text/plain;charset=UTF-8) with more than 64 KiB',
  ],
  ['a redirect', Response.redirect('https://evil.example/'), 'HTTP 302 at /introspect'],
  ['a member twice', new Response('{"active": false, "active": true}'), noObject],
])('no opaque token passes if the provider answers with %s', async (_, answer, problem) => {
  const { world, decide } = await createStage()
  world.answer = async () => answer
  expect(await decide()).toBe(`${unavailable} ${problem}`)
})

const signed = { iss: goodClaims.iss, aud: 'gateway', iat: nowSec, token_introspection: good }
const typ = 'token-introspection+jwt'

const unsigned = 'introspection-unavailable: id.example has not signed its answer at /introspect as RFC 9701 says: '

test.each<[string, object, string, header?: object]>([
  ['what RFC 9701 says', {}, 'people: opaque https://id.example dana'],
  ['another audience', { aud: 'another client' }, 'it is for "another client", not for "gateway"'],
  ['another issuer', { iss: 'https://evil.example' }, 'its issuer "https://evil.example" is not trusted'],
  ['the type of access', {}, 'its type (typ) is "at+jwt", not "token-introspection+jwt"', { typ: 'at+jwt' }],
  ['no type', {}, 'its type (typ) is none, not "token-introspection+jwt"', {}],
  ['an old answer', { iat: nowSec - 61 }, 'it is 61 s old, and at most 60 s are accepted'],
  ['no time', { iat: undefined }, 'it does not say when it was issued (iat), and at most 60 s are accepted'],
  ['no answer in it', { token_introspection: undefined }, `${unavailable} ${noObject}`],
  [
    'an answer for another owner',
    { token_introspection: { ...good, active: false } },
    'inactive: the provider says that it is not active',
  ],
])('a signed answer counts only as RFC 9701 has it: with %s', async (_, claims, outcome, header = { typ }) => {
  const { world, decide, key } = await createStage({ answers: 'signed' })
  const text = await new SignJWT({ ...signed, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.secret)
  world.answer = async () => new Response(text)
  expect((await decide()).replace(unsigned, '')).toBe(outcome)
})

test('an answer without a signature, or with that of another key, counts as no answer', async () => {
  const { world, decide, client, key, asked } = await createStage({ answers: 'signed' })
  const foreign = new SignJWT(signed).setProtectedHeader({ alg: 'ES256', kid: key.kid, typ }).sign(client.secret)
  const texts = { plain: JSON.stringify(good), none: new UnsecuredJWT(signed).encode(), foreign: await foreign }
  const outcomes: Record<string, string> = {}
  for (const [name, text] of Object.entries(texts)) {
    world.answer = async () => new Response(text)
    outcomes[name] = await decide(name)
    world.now += 2_000 // a failure is the answer to other tokens for this time
  }
  expect({ outcomes, accept: new Set(asked.map(({ headers }) => new Headers(headers).get('accept'))) }).toEqual({
    outcomes: {
      plain: `${unsigned}it is not written in the one form that base64url without padding has`,
      none: `${unsigned}it has no signature`,
      foreign: `${unsigned}the signature does not hold`,
    },
    accept: new Set(['application/token-introspection+jwt']),
  })
})

test('no provider hears of a token with other characters, nor of the key of an AWS service', async () => {
  const { asked, decide } = await createStage()
  const tokens = ['two words', 'ünïcode', '', `ABSK${'A'.repeat(128)}`]
  const outcomes = []
  for (const token of tokens) outcomes.push((await decide(token)).split(':')[0])
  expect({ outcomes, asked }).toEqual({ outcomes: Array(4).fill('unknown-kind'), asked: [] })
})
