import { array, assert, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import {
  addDuration,
  countBetween,
  countDurations,
  createDurations,
  findPercentile,
} from '../../../src/fleet/logs/duration-counts.ts'

function durationsOf(all: readonly number[]) {
  const durations = createDurations()
  for (const ms of all) addDuration(durations, ms)
  return durations
}

test('a percentile is exact in its first two digits', () => {
  assert(
    property(
      array(integer({ min: 0, max: 9_000_000 }), { minLength: 1 }),
      integer({ min: 1, max: 100 }),
      (all, percent) => {
        const exact = all.toSorted((a, b) => a - b)[Math.ceil((all.length * percent) / 100) - 1]!
        const found = findPercentile(durationsOf(all), percent / 100)!
        expect(found).toBeLessThanOrEqual(exact)
        expect(found).toBeGreaterThan(exact * 0.9 - 1)
      },
    ),
  )
})

test('every duration is counted once, the longest ones too', () => {
  const durations = durationsOf([0, 99, 100, 999, 1000, 1e7, 1e12])
  expect({
    all: countDurations(durations),
    below: countBetween(durations, 0, 100),
    between: countBetween(durations, 100, 1000),
    above: countBetween(durations, 1000, Number.POSITIVE_INFINITY),
  }).toEqual({ all: 7, below: 2, between: 2, above: 3 })
})

test('without a duration there is no percentile', () => {
  expect(findPercentile(createDurations(), 0.5)).toBeUndefined()
})
