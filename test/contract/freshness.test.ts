import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { computeEarlyFraction, computeRenewedFrom, computeServableUntil } from '../../src/contract/freshness.ts'

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

test('a token that can never be served from the cache is not renewed early', () => {
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

describe('the part by which a token is renewed early', () => {
  const part = fc.integer({ min: 0, max: 16 ** 5 - 1 }).map((whole) => whole / 16 ** 5)

  test.each<[ofMachine: number, ofMint: number, fraction: number]>([
    [0, 0, 0],
    [0.5, 0, 0.125],
    [0, 0.5, 0.125],
    [0.5, 0.5, 0.5],
    [0.75, 0.75, 0.875],
  ])('is computed from %d and %d as %d', (ofMachine, ofMint, fraction) => {
    expect(computeEarlyFraction(ofMachine, ofMint)).toBe(fraction)
  })

  test('is at least 0, less than 1, and grows with each of its two', () => {
    fc.assert(
      fc.property(part, part, part, (ofMachine, ofMint, other) => {
        const fraction = computeEarlyFraction(ofMachine, ofMint)
        expect({
          isPart: fraction >= 0 && fraction < 1,
          withMint: Math.sign(computeEarlyFraction(ofMachine, other) - fraction),
          withMachine: Math.sign(computeEarlyFraction(other, ofMint) - fraction),
        }).toEqual({ isPart: true, withMint: Math.sign(other - ofMint), withMachine: Math.sign(other - ofMachine) })
      }),
    )
  })
})
