import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { introspectionBounds } from '../../../src/verify/introspection/provider-lanes.ts'
import { goodClaims, signClaims } from '../jwt/issuer.ts'
import { createStage, good } from './opaque-stage.ts'

const passes = { opaque: 'people: opaque https://id.example dana', jwt: 'people: jwt https://id.example dana' }

test('a JWT in another form than its own is not sent to a provider that may read it all the same', async () => {
  const { asked, decide, key } = await createStage()
  const token = await signClaims(key, { iss: 'https://other.example' })
  const [head = '', body = '', signature = ''] = token.split('.')
  const spaced = Buffer.from(' {"alg": "ES256"}').toString('base64url')
  const texts = [
    ...[`${token}=`, `${token}==`, `${head}.${body}~.${signature}`, `${head}.+${body}.${signature}`],
    ...[`${spaced}.${body}.${signature}=`, `${head}..iv.text.tag`, `${token}~disclosure~`, `${head}.${body}`],
  ]
  const outcomes = []
  for (const text of texts) outcomes.push((await decide(text)).split(':')[0])
  expect({ outcomes, asked }).toEqual({ outcomes: Array(8).fill('malformed'), asked: [] })
})

test('a proof of an AWS identity is sent to no provider, although the policy accepts none', async () => {
  const { asked, decide } = await createStage()
  const proof = Buffer.from('https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity').toString('base64url')
  expect([await decide(`k8s-aws-v1.${proof}`), asked]).toEqual([
    'unknown-kind: the policy accepts no AWS identities',
    [],
  ])
})

test('a made-up token that breaks the provider lets no revoked JWT pass, and stops nobody', async () => {
  const { world, decide, key } = await createStage()
  const jwt = await signClaims(key, { scope: 'chat' })
  const statuses: Record<string, number> = { 'a/../etc/passwd': 403, long: 413, reset: 503 }
  world.answer = async (token) => {
    const status = statuses[token]
    if (status !== undefined) return new Response(null, { status })
    return token === jwt ? Response.json({ active: false }) : Response.json(good)
  }
  const outcomes: Record<string, string> = {}
  for (const token of ['known', 'a/../etc/passwd', 'long', 'new', 'reset', 'paused', jwt])
    outcomes[token === jwt ? 'jwt' : token] = await decide(token)
  world.now += 31_000
  outcomes['reset again'] = await decide('reset')
  outcomes['known again'] = await decide('known')
  outcomes['new again'] = await decide('another')
  const away = (status: number) => `introspection-unavailable: id.example answered HTTP ${status} at /introspect`
  expect(outcomes).toEqual({
    known: passes.opaque,
    'a/../etc/passwd': away(403),
    long: away(413),
    new: passes.opaque,
    reset: away(503),
    paused: away(503),
    jwt: 'inactive: the provider says that it is not active',
    'reset again': away(503),
    'known again': passes.opaque,
    'new again': passes.opaque, // the provider has just answered somebody
  })
})

test('a flood of made-up tokens takes the turn of no JWT, nor of a token that was good before', async () => {
  const { world, decide, key } = await createStage()
  const jwt = await signClaims(key, { scope: 'chat' })
  const { promise, resolve } = Promise.withResolvers<void>()
  world.answer = async (token) => {
    if (token.startsWith('made-up')) await promise
    return Response.json(token.startsWith('made-up') ? { active: false } : token === jwt ? { active: true } : good)
  }
  const before = await decide('known')
  world.now += 31_000
  const flood = Array.from({ length: introspectionBounds.concurrent + 1 }, (_, index) => decide(`made-up-${index}`))
  await setImmediate()
  const during = [await decide('known'), await decide(jwt), await decide('new')]
  resolve()
  expect({ before, during, last: (await Promise.all(flood)).at(-1) }).toEqual({
    before: passes.opaque,
    during: [passes.opaque, passes.jwt, `overloaded: too many tokens are being asked about at ${goodClaims.iss}`],
    last: `overloaded: too many tokens are being asked about at ${goodClaims.iss}`,
  })
})

test('a single-use token passes once in whatever form the provider knows it, where the answer has its jti', async () => {
  const { world, decide } = await createStage({}, { rule: { use: 'once' } })
  const outcomes = [await decide('plain'), await decide('plain')]
  world.answer = async () => Response.json({ ...good, jti: 'one' })
  outcomes.push(await decide('token'), await decide('token='), await decide('TOKEN'))
  world.answer = async () => Response.json({ ...good, jti: 'two' })
  outcomes.push(await decide('other'))
  const replayed = 'replayed: undefined'
  expect(outcomes).toEqual([passes.opaque, replayed, passes.opaque, replayed, replayed, passes.opaque])
})

test('a member of the answer that repeats the token is not a claim, so that no audit and no header has it', async () => {
  const { world, verifier } = await createStage()
  world.answer = async (token) => Response.json({ ...good, jti: token, sid: 'session' })
  const { identity } = await verifier.verify('opaque-1')
  const { active: _, ...claims } = good
  expect(identity?.claims).toEqual({ ...claims, sid: 'session' })
})

test('a token of the type DPoP is no bearer token, although the provider does not say to which key it is bound', async () => {
  const { world, decide, key } = await createStage()
  world.answer = async () => Response.json({ ...good, token_type: 'DPoP' })
  const outcomes = [await decide()]
  world.answer = async () => Response.json({ ...good, token_type: 'dpop', cnf: { 'x5t#S256': 'a'.repeat(43) } })
  outcomes.push(await decide('certificate'))
  world.answer = async () => Response.json({ active: true, token_type: 'DPoP' })
  outcomes.push(await decide(await signClaims(key, { scope: 'chat' })))
  const refused = 'unknown-kind: the provider says that it is bound to a key, and not to which'
  expect(outcomes).toEqual([refused, refused, refused])
})

test('the memory of short tokens with long answers stays within the bound of bytes', async () => {
  const { world, decide, verifier } = await createStage({}, { limits: { cacheBytes: 100_000 } })
  world.answer = async () => Response.json({ ...good, groups: 'x'.repeat(30_000) })
  for (const token of ['one', 'two', 'three', 'four', 'five']) await decide(token)
  expect(verifier.state().cacheEntries).toBe(3)
})
