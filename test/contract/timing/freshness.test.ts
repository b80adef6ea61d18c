import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeRenewedFrom, computeServableUntil } from '../../../src/contract/timing/freshness.ts'

const hour = 3_600_000

test('a token is served as long as it outlives the ttl of its client by a minute', () => {
  expect(computeServableUntil(12 * hour, 3600)).toBe(11 * hour - 60_000)
  expect(computeServableUntil(hour, 3600)).toBe(-60_000)
})

test.each<[percent: number, fraction: number, minutesEarly: number]>([
  [25, 0, 0],
  [0, 0.99, 0],
  [25, 0.5, 75],
  [50, 0.5, 150],
])('with %d %% and the fraction %d, a token that is served for ten hours is renewed %d min early', (...row) => {
  const [percent, fraction, minutesEarly] = row
  expect(computeRenewedFrom(0, 10 * hour, percent, fraction)).toBe(10 * hour - minutesEarly * 60_000)
})

test('a token that can never be served from the cache is renewed as it was', () => {
  expect(computeRenewedFrom(hour, hour - 1, 50, 0.9)).toBe(hour - 1)
})

test('no token is renewed later than it may be served, or earlier than the percentage of that time allows', () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const times = { life: fc.integer({ min: 1, max: 48 * hour }), ttlSec: fc.integer({ min: 1, max: 86_400 }) }
  fc.assert(
    fc.property(fc.record({ ...times, percent: fc.integer({ min: 0, max: 90 }), fraction }), (drawn) => {
      const until = computeServableUntil(drawn.life, drawn.ttlSec)
      const from = computeRenewedFrom(0, until, drawn.percent, drawn.fraction)
      const longest = (Math.max(0, until) * drawn.percent) / 100
      expect(from).toBeLessThanOrEqual(until)
      expect(from).toBeGreaterThanOrEqual(until - longest)
    }),
  )
})
