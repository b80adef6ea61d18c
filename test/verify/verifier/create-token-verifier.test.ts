import { describe, expect, test, vi } from 'vitest'
import type { Verdict } from '../../../src/verify/verdict.ts'
import { defaultLimits } from '../../../src/verify/verifier/verifier.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { createIdentity, createMadeUpVerifier, createPolicy, start } from './made-up-checks.ts'

/** The reason of a refusal, or the rule that lets pass. */
function toWord(verdict: Verdict | undefined): string | undefined {
  return verdict?.outcome === 'refused' ? verdict.refusal.reason : verdict?.rule
}

/** The statement of a refusal, apart from its cause. */
function toFacts(verdict: Verdict) {
  return verdict.outcome === 'refused' && { ...verdict.refusal, message: verdict.refusal.message }
}

describe('what is said of a token', () => {
  test.each([
    ['a.b.c', 'staff'],
    ['proof.x', 'staff'],
    ['https://sts.amazonaws.com/?Action=GetCallerIdentity', 'staff'],
    ['aHR0cHM6Ly9zdHMu', 'staff'],
    ['eyJpYW1faHR0', 'staff'],
    ['opaque', 'unknown-kind'],
    ['a.b.c.d.e', 'unknown-kind'],
    ['', 'unknown-kind'],
    ['a.refused-signature.c', 'signature'],
    ['a.refused-expired.c', 'expired'],
    ['proof.refused-aws-unavailable', 'aws-unavailable'],
    ['a.stranger.c', 'no-rule'],
    ['a.defect.c', 'defect'],
    [`a.${'b'.repeat(16_384)}.c`, 'malformed'],
  ])('%.60s: %s', async (token, word) => {
    expect(toWord(await createMadeUpVerifier().verifier.verify(token))).toBe(word)
  })

  test('a key of Bedrock is refused with who can verify it', async () => {
    const verdict = await createMadeUpVerifier().verifier.verify('bedrock-api-key-YmVkcm9jaw==')
    const detail =
      'it begins like a Bedrock API key, which AWS alone can verify: a gateway forwards it unverified, to bedrock-runtime.REGION'
    expect(toFacts(verdict)).toEqual({
      message: 'tokens of this kind are not accepted here',
      reason: 'unknown-kind',
      detail,
      name: 'TokenRefusal',
    })
  })

  test('a defect is named by its class alone, because its message may repeat the token', async () => {
    const verdict = await createMadeUpVerifier().verifier.verify('a.defect.c')
    expect(toFacts(verdict)).toEqual({
      message: 'this is a defect of the verifier',
      reason: 'defect',
      note: 'RangeError',
      name: 'TokenRefusal',
    })
  })

  test.each([undefined, null, 5, ['a.b.c']])(
    'a value that is not a string is malformed, and rejects nothing: %j',
    async (token) => {
      const { verifier } = createMadeUpVerifier()
      expect(verifier.find(token as never)).toBe(undefined)
      expect(toWord(await verifier.verify(token as never))).toBe('malformed')
    },
  )

  test('what the rules throw unexpectedly refuses, too', async () => {
    const { verifier } = createMadeUpVerifier({
      checks: { jwt: async () => ({ ...createIdentity('jwt', ''), subject: undefined as never }) },
    })
    expect(toWord(await verifier.verify('a.b.c'))).toBe('defect')
  })
})

describe('what is remembered', () => {
  test('a JWT for a minute and not beyond its end, an AWS identity until its end', async () => {
    const { verifier, world, asked } = createMadeUpVerifier()
    for (const token of ['a.b.c', 'proof.x']) await verifier.verify(token)
    expect([toWord(verifier.find('a.b.c')), toWord(verifier.find('proof.x'))]).toEqual(['staff', 'staff'])
    world.now += 60_000
    expect([toWord(verifier.find('a.b.c')), toWord(verifier.find('proof.x'))]).toEqual([undefined, 'staff'])
    world.now += 210_000
    await verifier.verify('a.b.c')
    world.now += 30_000
    expect([verifier.find('a.b.c'), verifier.find('proof.x')]).toEqual([undefined, undefined])
    expect(asked).toEqual(['a.b.c', 'proof.x', 'a.b.c'])
  })

  test('nothing once the policy is another one, not even what is being verified', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { verifier, world } = createMadeUpVerifier({
      checks: { jwt: async () => promise.then(() => createIdentity('jwt', 'dana')) },
    })
    await verifier.verify('proof.x')
    const waiting = verifier.verify('a.b.c')
    world.policy = createPolicy()
    expect(verifier.find('proof.x')).toBe(undefined)
    resolve()
    expect([toWord(await waiting), verifier.find('a.b.c')]).toEqual(['staff', undefined])
  })

  test('the refusals that cost a request, or cannot change, and no others', async () => {
    const { verifier, world } = createMadeUpVerifier()
    const refused = [
      'proof.refused-aws-refused',
      'proof.stranger',
      'a.refused-unknown-key.c',
      'proof.refused-aws-unavailable',
    ]
    for (const token of refused) await verifier.verify(token)
    expect(refused.map((token) => toWord(verifier.find(token)))).toEqual([
      'aws-refused',
      'no-rule',
      undefined,
      undefined,
    ])
    world.now += 60_000
    expect(refused.map((token) => toWord(verifier.find(token)))).toEqual([undefined, 'no-rule', undefined, undefined])
  })

  test('nothing after the clock was set back, but by a moment', async () => {
    const { verifier, world } = createMadeUpVerifier()
    for (const token of ['a.b.c', 'proof.refused-aws-refused']) await verifier.verify(token)
    world.now -= 2_000
    expect(['a.b.c', 'proof.refused-aws-refused'].map((token) => toWord(verifier.find(token)))).toEqual([
      'staff',
      'aws-refused',
    ])
    world.now -= 3_600_000
    expect(['a.b.c', 'proof.refused-aws-refused'].map((token) => verifier.find(token))).toEqual([undefined, undefined])
  })

  test('no more than fit: the oldest one that was not used lately is dropped', async () => {
    const { verifier } = createMadeUpVerifier({ limits: { cacheEntries: 2 } })
    for (const token of ['a.1.c', 'a.2.c']) await verifier.verify(token)
    verifier.find('a.1.c')
    await verifier.verify('a.3.c')
    expect(['a.1.c', 'a.2.c', 'a.3.c'].map((token) => toWord(verifier.find(token)))).toEqual([
      'staff',
      undefined,
      'staff',
    ])
    expect(verifier.state()).toEqual({ cacheEntries: 2, inFlight: 0 })
    await verifier.verify('a.4.c') // both others were found since then, and one of them goes for it
    expect(['a.1.c', 'a.3.c', 'a.4.c'].map((token) => toWord(verifier.find(token)))).toEqual([
      'staff',
      undefined,
      'staff',
    ])
  })
})

test('no more than their tokens may be long together, whichever are dropped for it', async () => {
  const { verifier, world } = createMadeUpVerifier({ limits: { cacheBytes: 300 } })
  const tokens = ['1', '2', '3', '4', '5'].map((name) => `a.${name}${'b'.repeat(95)}.c`) // 100 bytes each
  for (const token of tokens) await verifier.verify(token)
  expect(tokens.map((token) => toWord(verifier.find(token)))).toEqual([undefined, undefined, ...Array(3).fill('staff')])
  await verifier.verify(`a.${'b'.repeat(246)}.c`)
  expect(verifier.state().cacheEntries).toBe(1)
  await verifier.verify(`a.${'b'.repeat(400)}.c`)
  expect(verifier.state().cacheEntries).toBe(0)
  world.now += 60_000
  for (const token of tokens) await verifier.verify(token)
  expect(verifier.state().cacheEntries).toBe(3)
})

describe('a token that passes once', () => {
  test('passes once, whoever asks at the same time, and is not found in what is remembered', async () => {
    const { verifier, asked } = createMadeUpVerifier()
    const verdicts = await Promise.all(['a.once.c', 'a.once.c', 'a.once.c'].map((token) => verifier.verify(token)))
    expect(verdicts.map(toWord)).toEqual(['staff', 'replayed', 'replayed'])
    expect([verifier.find('a.once.c'), toWord(await verifier.verify('a.once.c'))]).toEqual([undefined, 'replayed'])
    expect(asked).toEqual(['a.once.c'])
  })

  test('is known by what is signed: another text with the same signature is the same token', async () => {
    const { verifier } = createMadeUpVerifier({
      checks: { jwt: async () => ({ ...createIdentity('jwt', 'once'), useKey: 'what is signed' }) },
    })
    // The made-up rule looks at what was asked of the other kind.
    await verifier.verify('proof.once')
    expect(await verifier.verify('a.once.c')).toEqual({
      ...{ outcome: 'accepted', rule: 'staff', headers: { 'x-user': 'once', 'x-team': '' } },
      identity: createIdentity('jwt', 'once'), // what is remembered is not as long as the token
    })
    expect(toWord(await verifier.verify('a.once.d'))).toBe('replayed')
  })

  test('does not pass again because the policy has begun to allow for clocks that differ', async () => {
    const expiresAt = () => start + 10_000 + world.policy.clockSkewSec * 1000
    const { verifier, world } = createMadeUpVerifier({
      checks: { jwt: async () => ({ ...createIdentity('jwt', 'once'), expiresAt: expiresAt() }) },
    })
    // The made-up rule looks at what was asked of the other kind.
    await verifier.verify('proof.once')
    world.policy = { ...createPolicy(), clockSkewSec: 0 }
    expect(toWord(await verifier.verify('a.once.c'))).toBe('staff')
    world.now += 60_000
    await verifier.verify('proof.once.other')
    world.policy = { ...createPolicy(), clockSkewSec: 300 }
    expect(toWord(await verifier.verify('a.once.c'))).toBe('replayed')
  })

  test('does not pass where its use cannot be noted in time', async () => {
    const replay = { use: () => new Promise<never>(() => {}), isAvailable: () => true, close: async () => {} }
    const { verifier } = createMadeUpVerifier({ replay })
    useFakeTimers()
    const verdict = verifier.verify('a.once.c')
    await vi.advanceTimersByTimeAsync(defaultLimits.replaySec * 1000)
    expect(toWord(await verdict)).toBe('replay-store-unavailable')
  })
})

describe('bounds', () => {
  test('requests for one token wait for one verification', async () => {
    const { verifier, asked } = createMadeUpVerifier()
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => verifier.verify('a.b.c')))
    expect([new Set(verdicts.map(toWord)), asked]).toEqual([new Set(['staff']), ['a.b.c']])
  })

  test('as many are verified at a time as the limits say, each kind for itself', async () => {
    const never = () => new Promise<never>(() => {})
    const limits = { concurrent: { jwt: 10, opaque: 10, 'aws-identity': 2 } }
    useFakeTimers()
    const { verifier } = createMadeUpVerifier({ limits, checks: { 'aws-identity': never } })
    const proofs = ['proof.1', 'proof.2', 'proof.3'].map((token) => verifier.verify(token))
    expect([toWord(await verifier.verify('a.b.c')), verifier.state().inFlight]).toEqual(['staff', 2])
    await vi.advanceTimersByTimeAsync(defaultLimits.verificationSec * 1000)
    expect((await Promise.all(proofs)).map(toWord)).toEqual(['aws-unavailable', 'aws-unavailable', 'overloaded'])
    expect(verifier.state().inFlight).toBe(0)
  })
})

test('every verdict is observed, without the token', async () => {
  const { verifier, observed } = createMadeUpVerifier()
  await verifier.verify('a.b.c')
  verifier.find('a.b.c')
  await verifier.verify('opaque')
  expect(observed.map(({ kind, source, verdict }) => [kind, source, toWord(verdict)])).toEqual([
    ['jwt', 'verification', 'staff'],
    ['jwt', 'cache', 'staff'],
    [undefined, 'verification', 'unknown-kind'],
  ])
  expect(JSON.stringify(observed)).not.toContain('a.b.c')
})

test('refusals that are remembered displace nobody who passes', async () => {
  const { verifier, asked } = createMadeUpVerifier({ limits: { cacheEntries: 10 } })
  await verifier.verify('proof.honest')
  for (let count = 0; count < 50; count += 1) await verifier.verify(`proof.${count}.refused-aws-refused`)
  expect([asked.length, toWord(verifier.find('proof.honest'))]).toEqual([51, 'staff'])
})
