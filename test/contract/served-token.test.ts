import { expect, test } from 'vitest'
import type { HelperContext } from '../../src/contract/context.ts'
import { computeEarlyPauseMs, isKeptServed, isRenewedEarly, isTooSoon } from '../../src/contract/freshness.ts'

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

test('a token of moments ago is served again only for its own kind of refresh', () => {
  const run = { context: 'mid-session-refresh', startedAt: 101_000, now: 101_000 } as const
  expect([
    isKeptServed({ ...kept, context: 'interactive' }, run, servableUntil),
    isKeptServed({ ...kept, expiresAt: 101_000 }, run, servableUntil),
    isKeptServed({ ...kept, expiresAt: 101_000 }, { ...run, startedAt: 99_000 }, servableUntil),
  ]).toEqual([false, false, false])
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

test('an early renewal is not tried again within its pause, unless the clock was set back', () => {
  const isSoon = (passed: number) => isTooSoon(1000, 1000 + passed, 300_000)
  expect([0, 299_999, 300_000, -1].map(isSoon)).toEqual([true, true, false, false])
})

test.each([
  ['five minutes', undefined, 300_000],
  ['five minutes, where the source asks for one', 60_000, 300_000],
  ['as long as the source asks', 1_800_000, 1_800_000],
  ['an hour, where it asks for a day', 86_400_000, 3_600_000],
])('the pause of an early renewal is %s, and on other machines up to half as long again', (_, askedMs, pauseMs) => {
  expect([0, 0.5, 1].map((fraction) => computeEarlyPauseMs(fraction, askedMs) / pauseMs)).toEqual([1, 1.25, 1.5])
})
