import { beforeEach, describe, expect, test } from 'vitest'
import { createTestKey } from './issuer.ts'
import { createPlayedIssuer } from './played-issuer.ts'

const old = await createTestKey('ES256', 'old')
const fresh = await createTestKey('ES256', 'new')

const sec = 1000
const minute = 60 * sec
const hour = 60 * minute

let { issuer, ring, find } = createPlayedIssuer([old])
beforeEach(() => {
  ;({ issuer, ring, find } = createPlayedIssuer([old]))
})

describe('an issuer that answers', () => {
  test('is asked once for any number of tokens', async () => {
    const outcomes = await Promise.all(Array.from({ length: 250 }, () => find(old)))
    const later = await Promise.all(Array.from({ length: 1000 }, () => find(old)))
    expect([new Set([...outcomes, ...later]), issuer.asked]).toEqual([new Set(['found']), 1])
  })

  test('is asked again in the background after five minutes', async () => {
    await find(old)
    issuer.now += 5 * minute + 1
    issuer.answer = 'silent'
    const meanwhile = await find(old)
    issuer.answer = [fresh]
    issuer.speak()
    await expect.poll(() => ring.state().fetchedAt).toBe(issuer.now)
    expect([meanwhile, await find(old), await find(fresh)]).toEqual(['found', 'unknown', 'found'])
  })

  test('is asked before old keys are used, when nobody has used them for long', async () => {
    await find(old)
    issuer.now += 10 * minute + 1
    issuer.answer = [fresh]
    expect(await Promise.all([find(old), find(old), find(fresh)])).toEqual(['unknown', 'unknown', 'found'])
  })

  test('is asked before old keys are used, also when it failed long ago', async () => {
    await find(old)
    issuer.now += 6 * minute
    issuer.answer = 'away'
    await find(old)
    await expect.poll(() => ring.state().failure?.at).toBe(issuer.now)
    issuer.now += hour
    issuer.answer = [fresh]
    expect(await find(old)).toBe('unknown')
  })

  test('is asked at once for a key that is not known', async () => {
    await find(old)
    issuer.answer = [fresh]
    expect([await find(fresh), await find(old)]).toEqual(['found', 'unknown'])
  })

  test('a clock that is set back makes no key young', async () => {
    await find(old)
    issuer.now -= 10 * hour
    issuer.answer = [fresh]
    expect([await find(old), await find(fresh)]).toEqual(['unknown', 'found'])
  })
})

describe('tokens with unknown keys', () => {
  test('cost two requests by the thousand, and keep no good token waiting', async () => {
    await find(old)
    const before = issuer.asked
    const strange = Array.from({ length: 5_000 }, (_, at) => find({ kid: `strange-${at}`, alg: 'ES256' }))
    const good = await find(old)
    const outcomes = new Set(await Promise.all(strange))
    const { keys } = ring.state()
    expect({ before, good, outcomes, asked: issuer.asked, keys }).toEqual({
      before: 1,
      good: 'found',
      outcomes: new Set(['unknown', 'unavailable']),
      asked: 2,
      keys: 1,
    })
  })

  test('one request in ten seconds is made for them', async () => {
    await find(old)
    for (let at = 0; at < 60; at += 1) {
      await find({ kid: `strange-${at}`, alg: 'ES256' })
      issuer.now += sec
    }
    expect(issuer.asked).toBe(1 + 6)
  })

  test('a key that is published meanwhile is found when the ten seconds are over', async () => {
    await find({ kid: 'strange', alg: 'ES256' })
    issuer.answer = [fresh]
    const soon = await find(fresh)
    issuer.now += 10 * sec
    expect([soon, await find(fresh)]).toEqual(['unknown', 'found'])
  })

  test('lead no more than 250 tokens to wait for a slow issuer', async () => {
    await find(old)
    issuer.answer = 'silent'
    const strange = Array.from({ length: 300 }, (_, at) => find({ kid: `strange-${at}`, alg: 'ES256' }))
    const ended: string[] = []
    for (const one of strange) one.then((outcome) => ended.push(outcome))
    const known = await find(old)
    await expect.poll(() => ended).toEqual(Array(300 - 250).fill('unavailable'))
    issuer.answer = [old]
    issuer.speak()
    expect([known, ...(await Promise.all(strange)).slice(0, 250)]).toEqual(['found', ...Array(250).fill('unknown')])
  })
})

describe('an issuer that is away', () => {
  test('from the start is left alone for ten seconds', async () => {
    issuer.answer = 'away'
    const lookup = await ring.find({ kid: old.kid, alg: 'ES256' })
    await find(old)
    expect({ lookup, asked: issuer.asked, ...ring.state() }).toEqual({
      lookup: { outcome: 'unavailable', says: 'id.example is away' },
      issuer: 'https://id.example',
      standing: 'none',
      keys: 0,
      unused: [],
      fetchedAt: undefined,
      failure: { at: issuer.now, says: 'id.example is away' },
      asked: 1,
    })
    issuer.answer = [old]
    issuer.now += 10 * sec
    expect({ outcome: await find(old), asked: issuer.asked, ...ring.state() }).toEqual({
      outcome: 'found',
      standing: 'fresh',
      failure: undefined,
      asked: 2,
      issuer: 'https://id.example',
      keys: 1,
      unused: [],
      fetchedAt: expect.any(Number),
    })
  })

  test('has its keys kept for a day, and asked for again meanwhile', async () => {
    await find(old)
    const fetchedAt = issuer.now
    issuer.answer = 'away'
    issuer.now += 24 * hour
    expect({ outcome: await find(old), asked: issuer.asked, ...ring.state() }).toEqual({
      outcome: 'found',
      standing: 'kept',
      keys: 1,
      fetchedAt,
      issuer: 'https://id.example',
      unused: [],
      failure: { at: expect.any(Number), says: 'id.example is away' },
      asked: 2,
    })
    issuer.now += 1
    expect({ outcome: await find(old), asked: issuer.asked, ...ring.state() }).toEqual({
      outcome: 'unavailable',
      standing: 'none',
      keys: 0,
      issuer: 'https://id.example',
      unused: [],
      fetchedAt: expect.any(Number),
      failure: { at: expect.any(Number), says: 'id.example is away' },
      asked: 2,
    })
    issuer.answer = [old]
    issuer.now += 10 * sec
    await find(old)
    expect({ asked: issuer.asked, ...ring.state() }).toEqual({
      standing: 'fresh',
      failure: undefined,
      issuer: 'https://id.example',
      keys: 1,
      unused: [],
      fetchedAt: expect.any(Number),
      asked: 3,
    })
  })

  test('is not said to lack a key that is unknown then', async () => {
    await find(old)
    issuer.answer = 'away'
    expect([await find(fresh), await find(fresh), issuer.asked]).toEqual(['unavailable', 'unavailable', 2])
  })

  test('keeps tokens with a known key waiting once, not at each attempt', async () => {
    await find(old)
    issuer.answer = 'away'
    issuer.now += hour
    await find(old)
    issuer.answer = 'silent'
    issuer.now += 11 * sec
    expect([await find(old), issuer.asked]).toEqual(['found', 3])
    issuer.speak()
  })
})

test('before the first token the keys are fetched once', async () => {
  await ring.prepare()
  await ring.prepare()
  expect({ asked: issuer.asked, ...ring.state() }).toEqual({
    standing: 'fresh',
    asked: 1,
    issuer: 'https://id.example',
    keys: 1,
    unused: [],
    fetchedAt: expect.any(Number),
  })
})

test('before the first token a failure is part of the state', async () => {
  const other = createPlayedIssuer([])
  other.issuer.answer = 'away'
  await other.ring.prepare()
  expect({ asked: other.issuer.asked, ...other.ring.state() }).toEqual({
    standing: 'none',
    failure: { says: 'id.example is away', at: expect.any(Number) },
    issuer: 'https://id.example',
    keys: 0,
    unused: [],
    asked: 1,
  })
})
