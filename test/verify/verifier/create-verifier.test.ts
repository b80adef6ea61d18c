import { describe, expect, test, vi } from 'vitest'
import type { RefusalReason } from '../../../src/contract/refusal-reasons.ts'
import type { Identity } from '../../../src/verify/verdict.ts'
import { defaultLimits, type Verifier } from '../../../src/verify/verifier/verifier.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { createIdentity, createMadeUpVerifier, createPolicy, start, toSubject, toWhole } from './made-up-checks.ts'

/** Returns the verdict that lets a made-up token pass. */
function passing(token: string, kind: Identity['kind'] = token.startsWith('proof.') ? 'aws-identity' : 'jwt') {
  const subject = toSubject(token)
  const headers = { 'x-user': subject, 'x-team': '' }
  return { outcome: 'accepted', rule: 'staff', headers, identity: createIdentity(kind, subject) }
}

function refused(
  reason: RefusalReason,
  { identity, ...facts }: { readonly detail?: string; readonly note?: string; readonly identity?: Identity } = {},
) {
  return { outcome: 'refused', refusal: { reason, ...facts }, ...(identity && { identity }) }
}

const replayed = (token: string) => refused('replayed', { identity: createIdentity('jwt', toSubject(token)) })

const noTeam = (token: string, kind: Identity['kind']) =>
  refused('no-rule', { detail: 'the claim "team" is missing', identity: createIdentity(kind, toSubject(token)) })

function findAll({ find }: Verifier, tokens: readonly string[]) {
  return tokens.map((token) => toWhole(find(token)))
}

async function verifyAll({ verify }: Verifier, tokens: readonly string[]) {
  return (await Promise.all(tokens.map((token) => verify(token)))).map(toWhole)
}

const longToken = `a.${'b'.repeat(16_384)}.c`
const tooLong = 'it has 16388 characters, which is more than 16384'
const urlToken = 'https://sts.amazonaws.com/?Action=GetCallerIdentity'
const bedrock =
  'it begins like a Bedrock API key, which AWS alone can verify: a gateway forwards it unverified, to bedrock-runtime.REGION'

describe('a verifier', () => {
  test.each<[token: string, verdict: object]>([
    ['a.b.c', passing('a.b.c')],
    ['proof.x', passing('proof.x')],
    [urlToken, passing(urlToken, 'aws-identity')],
    ['aHR0cHM6Ly9zdHMu', passing('aHR0cHM6Ly9zdHMu', 'aws-identity')],
    ['eyJpYW1faHR0', passing('eyJpYW1faHR0', 'aws-identity')],
    ['opaque', refused('unknown-kind')],
    ['a.b.c.d.e', refused('unknown-kind')],
    ['', refused('unknown-kind')],
    ['bedrock-api-key-YmVkcm9jaw==', refused('unknown-kind', { detail: bedrock })],
    ['a.refused-signature.c', refused('signature')],
    ['a.refused-expired.c', refused('expired')],
    ['proof.refused-aws-unavailable', refused('aws-unavailable')],
    ['a.stranger.c', noTeam('a.stranger.c', 'jwt')],
    // The message of an unexpected error may repeat the token, so that its class alone is named.
    ['a.defect.c', refused('defect', { note: 'RangeError' })],
    [longToken, refused('malformed', { note: tooLong })],
  ])('gives %.60s to the verifier of its kind', async (token, verdict) => {
    expect(toWhole(await createMadeUpVerifier().verifier.verify(token))).toEqual(verdict)
  })

  test.each([undefined, null, 5, ['a.b.c']])('calls a value that is not a string malformed: %j', async (token) => {
    const { verifier } = createMadeUpVerifier()
    expect([verifier.find(token as never), toWhole(await verifier.verify(token as never))]).toEqual([
      undefined,
      refused('malformed', { note: 'the token is not a string' }),
    ])
  })

  test('refuses a token for which the rules throw unexpectedly', async () => {
    const { verifier } = createMadeUpVerifier({
      checks: { jwt: async () => ({ ...createIdentity('jwt', ''), subject: undefined as never }) },
    })
    expect(toWhole(await verifier.verify('a.b.c'))).toEqual(refused('defect', { note: 'TypeError' }))
  })
})

describe('a verifier remembers', () => {
  test('a JWT for a minute and not beyond its end, an AWS identity until its end', async () => {
    const { verifier, world, asked } = createMadeUpVerifier()
    const tokens = ['a.b.c', 'proof.x']
    for (const token of tokens) await verifier.verify(token)
    const atFirst = findAll(verifier, tokens)
    world.now += 60_000
    const afterMinute = findAll(verifier, tokens)
    world.now += 210_000
    await verifier.verify('a.b.c')
    world.now += 30_000
    expect({ atFirst, afterMinute, atEnd: findAll(verifier, tokens), asked }).toEqual({
      atFirst: tokens.map((token) => passing(token)),
      afterMinute: [undefined, passing('proof.x')],
      atEnd: [undefined, undefined],
      asked: ['a.b.c', 'proof.x', 'a.b.c'],
    })
  })

  test('nothing once the policy is another one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { verifier, world } = createMadeUpVerifier({
      checks: { jwt: async () => promise.then(() => createIdentity('jwt', 'dana')) },
    })
    await verifier.verify('proof.x')
    const waiting = verifier.verify('a.b.c')
    world.policy = createPolicy()
    const remembered = verifier.find('proof.x')
    resolve()
    expect({ remembered, waiting: toWhole(await waiting), after: verifier.find('a.b.c') }).toEqual({
      remembered: undefined,
      waiting: { ...passing('dana'), identity: createIdentity('jwt', 'dana') },
      after: undefined,
    })
  })

  test('only the refusals that cost a request or cannot change', async () => {
    const { verifier, world } = createMadeUpVerifier()
    const tokens = [
      'proof.refused-aws-refused',
      'proof.stranger',
      'a.refused-unknown-key.c',
      'proof.refused-aws-unavailable',
    ]
    for (const token of tokens) await verifier.verify(token)
    const atFirst = findAll(verifier, tokens)
    world.now += 60_000
    const stranger = noTeam('proof.stranger', 'aws-identity')
    expect({ atFirst, afterMinute: findAll(verifier, tokens) }).toEqual({
      atFirst: [refused('aws-refused'), stranger, undefined, undefined],
      afterMinute: [undefined, stranger, undefined, undefined],
    })
  })

  test('nothing from before a clock was set back, but by a moment', async () => {
    const { verifier, world } = createMadeUpVerifier()
    const tokens = ['a.b.c', 'proof.refused-aws-refused']
    for (const token of tokens) await verifier.verify(token)
    world.now -= 2_000
    const afterMoment = findAll(verifier, tokens)
    world.now -= 3_600_000
    expect({ afterMoment, afterHour: findAll(verifier, tokens) }).toEqual({
      afterMoment: [passing('a.b.c'), refused('aws-refused')],
      afterHour: [undefined, undefined],
    })
  })

  test('no more than fit, and drops the oldest one that was not used lately', async () => {
    const { verifier } = createMadeUpVerifier({ limits: { cacheEntries: 2 } })
    for (const token of ['a.1.c', 'a.2.c']) await verifier.verify(token)
    verifier.find('a.1.c')
    await verifier.verify('a.3.c')
    const found = findAll(verifier, ['a.1.c', 'a.2.c', 'a.3.c'])
    await verifier.verify('a.4.c') // both others were found since then, and one of them goes for it
    expect({ found, next: findAll(verifier, ['a.1.c', 'a.3.c', 'a.4.c']), state: verifier.state() }).toEqual({
      found: [passing('a.1.c'), undefined, passing('a.3.c')],
      next: [passing('a.1.c'), undefined, passing('a.4.c')],
      state: { cacheEntries: 2, inFlight: 0 },
    })
  })

  test('no more tokens than may be long together', async () => {
    const { verifier, world } = createMadeUpVerifier({ limits: { cacheBytes: 300 } })
    const tokens = ['1', '2', '3', '4', '5'].map((name) => `a.${name}${'b'.repeat(95)}.c`) // 100 bytes each
    const countAfter = async (token: string) => {
      await verifier.verify(token)
      return verifier.state().cacheEntries
    }
    for (const token of tokens) await verifier.verify(token)
    const found = findAll(verifier, tokens)
    const afterLong = await countAfter(`a.${'b'.repeat(246)}.c`)
    const afterTooLong = await countAfter(`a.${'b'.repeat(400)}.c`)
    world.now += 60_000
    for (const token of tokens) await verifier.verify(token)
    expect({ found, afterLong, afterTooLong, afterMinute: verifier.state().cacheEntries }).toEqual({
      found: [undefined, undefined, ...tokens.slice(2).map((token) => passing(token))],
      afterLong: 1,
      afterTooLong: 0,
      afterMinute: 3,
    })
  })
})

describe('a token that passes once', () => {
  test('passes once among simultaneous callers', async () => {
    const { verifier, asked } = createMadeUpVerifier()
    const verdicts = await verifyAll(verifier, ['a.once.c', 'a.once.c', 'a.once.c'])
    const [found, later] = [verifier.find('a.once.c'), toWhole(await verifier.verify('a.once.c'))]
    expect({ verdicts, found, later, asked }).toEqual({
      verdicts: [passing('a.once.c'), replayed('a.once.c'), replayed('a.once.c')],
      found: undefined,
      later: replayed('a.once.c'),
      asked: ['a.once.c'],
    })
  })

  test('is known by what is signed', async () => {
    const { verifier } = createMadeUpVerifier({
      checks: { jwt: async () => ({ ...createIdentity('jwt', 'once'), useKey: 'what is signed' }) },
    })
    // The made-up rule looks at what was asked of the other kind.
    await verifier.verify('proof.once')
    const identity = createIdentity('jwt', 'once') // without the key, so that what is remembered is not as long as the token
    expect([await verifier.verify('a.once.c'), toWhole(await verifier.verify('a.once.d'))]).toEqual([
      { outcome: 'accepted', rule: 'staff', headers: { 'x-user': 'once', 'x-team': '' }, identity },
      refused('replayed', { identity }),
    ])
  })

  test('does not pass again because the policy has begun to allow for clocks that differ', async () => {
    const expiresAt = () => start + 10_000 + world.policy.clockSkewSec * 1000
    const { verifier, world } = createMadeUpVerifier({
      checks: { jwt: async () => ({ ...createIdentity('jwt', 'once'), expiresAt: expiresAt() }) },
    })
    // The made-up rule looks at what was asked of the other kind.
    await verifier.verify('proof.once')
    world.policy = { ...createPolicy(), clockSkewSec: 0 }
    const first = (await verifier.verify('a.once.c')).outcome
    world.now += 60_000
    await verifier.verify('proof.once.other')
    world.policy = { ...createPolicy(), clockSkewSec: 300 }
    const identity = { ...createIdentity('jwt', 'once'), expiresAt: expiresAt() }
    expect([first, toWhole(await verifier.verify('a.once.c'))]).toEqual(['accepted', refused('replayed', { identity })])
  })

  test('does not pass where its use cannot be noted in time', async () => {
    const replay = { use: () => new Promise<never>(() => {}), isAvailable: () => true, close: async () => {} }
    const { verifier } = createMadeUpVerifier({ replay })
    useFakeTimers()
    const verdict = verifier.verify('a.once.c')
    await vi.advanceTimersByTimeAsync(defaultLimits.replaySec * 1000)
    expect(toWhole(await verdict)).toEqual(refused('replay-store-unavailable', { note: 'no answer within 5 s' }))
  })
})

describe('bounds', () => {
  test('requests for one token wait for one verification', async () => {
    const { verifier, asked } = createMadeUpVerifier()
    const verdicts = await verifyAll(verifier, Array(50).fill('a.b.c'))
    expect({ verdicts, asked }).toEqual({ verdicts: Array(50).fill(passing('a.b.c')), asked: ['a.b.c'] })
  })

  test('as many are verified at a time as the limits of each kind say', async () => {
    const never = () => new Promise<never>(() => {})
    const limits = { concurrent: { jwt: 10, opaque: 10, 'aws-identity': 2 } }
    useFakeTimers()
    const { verifier } = createMadeUpVerifier({ limits, checks: { 'aws-identity': never } })
    const proofs = verifyAll(verifier, ['proof.1', 'proof.2', 'proof.3'])
    const [jwt, during] = [toWhole(await verifier.verify('a.b.c')), verifier.state().inFlight]
    await vi.advanceTimersByTimeAsync(defaultLimits.verificationSec * 1000)
    const late = refused('aws-unavailable', { note: 'no answer within 15 s' })
    expect({ jwt, during, proofs: await proofs, after: verifier.state().inFlight }).toEqual({
      jwt: passing('a.b.c'),
      during: 2,
      proofs: [late, late, refused('overloaded')],
      after: 0,
    })
  })
})

test('every verdict is observed, without the token', async () => {
  const { verifier, observed } = createMadeUpVerifier()
  await verifier.verify('a.b.c')
  verifier.find('a.b.c')
  await verifier.verify('opaque')
  expect(observed.map(({ verdict, ...rest }) => ({ ...rest, verdict: toWhole(verdict) }))).toEqual([
    { kind: 'jwt', source: 'verification', verdict: passing('a.b.c'), ms: expect.any(Number) },
    { kind: 'jwt', source: 'cache', verdict: passing('a.b.c'), ms: expect.any(Number) },
    { kind: undefined, source: 'verification', verdict: refused('unknown-kind'), ms: expect.any(Number) },
  ])
})

test('remembered refusals displace nobody who passes', async () => {
  const { verifier, asked } = createMadeUpVerifier({ limits: { cacheEntries: 10 } })
  await verifier.verify('proof.honest')
  for (let count = 0; count < 50; count += 1) await verifier.verify(`proof.${count}.refused-aws-refused`)
  expect([asked.length, toWhole(verifier.find('proof.honest'))]).toEqual([51, passing('proof.honest')])
})
