import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HelperContext, helperContexts } from '../../../src/contract/context.ts'
import type { TokenEntry } from '../../../src/helper/cache/entry.ts'
import { computeRenewalTimes, isFresh, isRenewalDue, isUnexpired } from '../../../src/helper/cache/freshness.ts'
import { Secret } from '../../../src/runtime/secret.ts'

const now = Date.UTC(2026, 0, 15, 12)
const ttl = 3600
const start = 1_000

interface Case {
  /** Milliseconds since the entry was minted. */
  readonly age: number
  /** Seconds that it still lives. */
  readonly left: number
  readonly mintedIn?: HelperContext
  /** Seconds that the source's clock was ahead. */
  readonly ahead?: number
  /** Seconds by which the machine's clock was set forward since. */
  readonly setForward?: number
  /** Seconds before now. */
  readonly notBefore?: number
}

const bootedAt = now - 7 * 86_400_000

/** Returns an entry, seen by a process that started a second ago for a client with a ttl of an hour. */
function see(
  context: HelperContext,
  { age, left, mintedIn = 'interactive', ahead = 0, setForward = 0, notBefore }: Case,
) {
  const entry: TokenEntry = {
    token: new Secret('t'),
    minted: now - age,
    expiresAt: now + left * 1000,
    clockOffsetMs: ahead * 1000,
    bootedAt: bootedAt - setForward * 1000,
    context: mintedIn,
    facts: {},
    uses: [],
  }
  const voidBefore = notBefore === undefined ? undefined : now - notBefore * 1000
  return [entry, { context, now, startedAt: now - start, bootedAt, clientTtlSec: ttl, notBefore: voidBefore }] as const
}

const findFresh = (context: HelperContext, entry: Case) => isFresh(...see(context, entry))

const old = 1_800_000
const refresh = 'mid-session-refresh'
const anyOther = [...helperContexts.filter((context) => context !== refresh), 'terminal', 'unknown'] as const

test.each<[why: string, entry: Case, fresh: boolean]>([
  ['outlives the ttl by more than a minute', { age: old, left: ttl + 61 }, true],
  ['outlives the ttl by exactly a minute', { age: old, left: ttl + 60 }, true],
  ['outlives the ttl by less than a minute', { age: old, left: ttl + 59.999 }, false],
  ['was minted for a refresh and outlives the ttl', { age: old, left: ttl + 60, mintedIn: refresh }, true],
  ['falls short and was minted 10 s before this process started', { age: 11_000, left: 60 }, true],
  ['falls short and was minted a little longer before', { age: 11_001, left: 60 }, false],
  ['was minted 10 s before this process started and has just ended', { age: 11_000, left: 0 }, false],
  ['falls short and was minted after this process started', { age: 999, left: 1 }, true],
  ['was minted this very moment', { age: 0, left: 1 }, true],
  ['has expired just now', { age: 0, left: 0 }, false],
  ['has expired, although it was just minted', { age: 500, left: -1 }, false],
  ['was minted in the future', { age: -1, left: 2 * ttl }, false],
  ['was minted far in the future', { age: -1e12, left: 1e12 }, false],
  ['is from before the clock was set back', { age: old, left: 12 * ttl, setForward: -61 }, false],
  ['is from just before the clock was set back', { age: 5_000, left: 12 * ttl, setForward: -61 }, false],
  ['is from before the clock was corrected a little', { age: old, left: 12 * ttl, setForward: -60 }, true],
  ['is from before the clock was set forward, or another start', { age: old, left: ttl + 60, setForward: 600 }, true],
  ['falls short by the clock of its source', { age: old, left: ttl + 600, ahead: -600 }, false],
  ['outlives the ttl by the clock of its source, too', { age: old, left: ttl + 660, ahead: -600 }, true],
  ['outlives the ttl by this clock, which is behind', { age: old, left: ttl + 60, ahead: 600 }, true],
  ['has ended by the clock of its source, and is of this moment', { age: 500, left: 3600, ahead: -7200 }, true],
  ['is older than the date', { age: old, left: 12 * ttl, notBefore: 1_799 }, false],
  ['is as old as the date', { age: old, left: 12 * ttl, notBefore: 1_800 }, true],
  ['is older than a date in the future', { age: 5_000, left: 12 * ttl, notBefore: -3600 }, false],
  ['is older than a date in the future, but newer than this process', { age: 999, left: ttl, notBefore: -1 }, true],
])('an entry that %s, %j, is fresh outside a refresh: %s', (_, entry, fresh) => {
  expect(anyOther.map((context) => [context, findFresh(context, entry)])).toEqual(
    anyOther.map((context) => [context, fresh]),
  )
})

test.each<[why: string, entry: Case, fresh: boolean]>([
  ['was minted after this process started', { age: 999, left: 1 }, true],
  ['was minted as this process started', { age: 1_000, left: 2 * ttl }, false],
  ['outlives everything and is old', { age: old, left: 12 * ttl }, false],
  ['outlives everything and was minted moments ago for another reason', { age: 1_001, left: 12 * ttl }, false],
  ['was minted 10 s before for the same refresh', { age: 11_000, left: 60, mintedIn: refresh }, true],
  ['was minted longer before for an earlier refresh', { age: 11_001, left: 12 * ttl, mintedIn: refresh }, false],
  ['has expired, although minted for the same refresh', { age: 500, left: 0, mintedIn: refresh }, false],
  ['was minted for a refresh in the future', { age: -1, left: ttl, mintedIn: refresh }, false],
])('an entry that %s, %j, is fresh in a refresh: %s', (_, entry, fresh) => {
  expect(findFresh(refresh, entry)).toBe(fresh)
})

test('an entry that was minted after the start of a process is fresh even where the process started long ago', () => {
  const [entry, circumstances] = see(refresh, { age: 15_000, left: 0.001 })
  expect(isFresh(entry, { ...circumstances, startedAt: now - 15_001 })).toBe(true)
})

test('a token that was new for a refresh when the process began stays new while it waits', () => {
  const [entry, circumstances] = see(refresh, { age: 30_000, left: ttl, mintedIn: refresh })
  expect(isFresh(entry, { ...circumstances, startedAt: now - 25_000 })).toBe(true)
})

test.each<[why: string, entry: Case, alive: boolean]>([
  ['lives a moment longer', { age: old, left: 0.001 }, true],
  ['has just ended', { age: old, left: 0 }, false],
  ['is from the future', { age: -1, left: ttl }, false],
  ['is from before the clock was set back', { age: old, left: ttl, setForward: -61 }, false],
  ['has ended by the clock of its source', { age: old, left: 600, ahead: -600 }, false],
  ['lives by the clock of its source', { age: old, left: 601, ahead: -600 }, true],
  ['is older than the date', { age: old, left: ttl, notBefore: 0 }, false],
])('a token that %s, %j, can stand in for a new one: %s', (_, entry, alive) => {
  expect(isUnexpired(...see('unknown', entry))).toBe(alive)
})

test('where the start of the machine is not known, the clock is trusted', () => {
  const [entry, circumstances] = see('unknown', { age: old, left: ttl, setForward: -600 })
  expect(isUnexpired(entry, { ...circumstances, bootedAt: undefined })).toBe(true)
  expect(isUnexpired({ ...entry, bootedAt: undefined }, circumstances)).toBe(true)
})

/** An hour's ttl, and entries of every age, life and fraction, seen with every percentage. */
const seen = fc.record({
  age: fc.integer({ min: 0, max: 48 * 3_600_000 }),
  left: fc.integer({ min: -3600, max: 48 * 3600 }),
  ahead: fc.integer({ min: -600, max: 600 }),
  earlyFraction: fc.option(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { nil: undefined }),
  renewEarly: fc.integer({ min: 0, max: 90 }),
})

test('a machine renews a token early by its part of the time in which it is served, unless the token is new', () => {
  fc.assert(
    fc.property(seen, ({ age, left, ahead, earlyFraction, renewEarly }) => {
      const [given, criteria] = see('unknown', { age, left, ahead })
      const entry = { ...given, earlyFraction }
      const { servableUntil, renewedFrom } = computeRenewalTimes(entry, { clientTtlSec: ttl, renewEarly })
      const longest = (Math.max(0, servableUntil - entry.minted) * renewEarly) / 100
      const isNew = age <= start + 10_000
      const isDue = isRenewalDue(entry, criteria, renewEarly)
      const isServed = isFresh(entry, criteria)
      expect({
        isInTime: servableUntil - longest <= renewedFrom && renewedFrom <= servableUntil,
        isDue,
        isServed,
        isDueAtZero: isDue && isServed && renewEarly === 0,
      }).toEqual({
        isInTime: true,
        isDue: !isNew && now > renewedFrom,
        isServed: isFresh(given, criteria), // which does not depend on any of it
        isDueAtZero: false,
      })
    }),
  )
})
