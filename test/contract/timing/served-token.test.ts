import { expect, test } from 'vitest'
import type { HelperContext } from '../../../src/contract/context.ts'
import { isKeptServed, isRenewedEarly, isTooSoon } from '../../../src/contract/timing/served-token.ts'

const kept = { minted: 100_000, expiresAt: 1_000_000, context: 'mid-session-refresh' as HelperContext }
const servableUntil = 500_000

test.each<[context: HelperContext, startedAt: number, isServed: boolean]>([
  ['interactive', 99_000, true],
  ['interactive', 500_000, true],
  ['interactive', 500_001, false],
  ['mid-session-refresh', 99_000, true],
  ['mid-session-refresh', 110_000, true],
  ['mid-session-refresh', 110_001, false],
])('in %s a run that begins at %s is served a token of 100000: %s', (context, startedAt, isServed) => {
  const now = Math.max(startedAt, kept.minted)
  expect(isKeptServed(kept, { context, startedAt, now }, servableUntil)).toBe(isServed)
})

test('a token of moments ago is served again for its own kind of refresh only, and never after its end', () => {
  const run = { context: 'mid-session-refresh', startedAt: 101_000, now: 101_000 } as const
  expect(isKeptServed({ ...kept, context: 'interactive' }, run, servableUntil)).toBe(false)
  expect(isKeptServed({ ...kept, expiresAt: 101_000 }, run, servableUntil)).toBe(false)
  expect(isKeptServed({ ...kept, expiresAt: 101_000 }, { ...run, startedAt: 99_000 }, servableUntil)).toBe(false)
})

test('a token is renewed early from its moment on, but not while it is new', () => {
  const renewedAt = (now: number, renewedFrom: number) =>
    isRenewedEarly(kept, { context: 'interactive', startedAt: now, now }, renewedFrom)
  expect([renewedAt(300_000, 300_000), renewedAt(300_001, 300_000), renewedAt(110_000, 0)]).toEqual([
    false,
    true,
    false,
  ])
})

test('an early renewal is not tried again for five minutes, unless the clock was set back', () => {
  expect([0, 299_999, 300_000, -1].map((passed) => isTooSoon(1000, 1000 + passed))).toEqual([true, true, false, false])
})
