import { expect, test } from 'vitest'
import { computeEarlyFraction } from '../../../src/helper/cache/early-fraction.ts'

const location = { directory: '/home/dana/.cache/gatepass', program: 'tool', key: 'k' }

/** How many of the fractions are in each tenth of the time. */
function countTenths(fractions: readonly number[]): number[] {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (const fraction of fractions) tenths[Math.floor(fraction * 10)]! += 1
  return tenths
}

const indices = Array.from({ length: 10_000 }, (_, index) => index)

test.each<[what: string, fractionOf: (index: number) => number]>([
  ['machines', (index) => computeEarlyFraction(`desk-${index}`, location)],
  ['people of one machine', (index) => computeEarlyFraction('desk', { ...location, directory: `/home/p${index}` })],
  ['entries of one person', (index) => computeEarlyFraction('desk', { ...location, key: `${index}` })],
])('ten thousand %s are spread evenly', (_, fractionOf) => {
  const fractions = indices.map(fractionOf)
  // A thousand each, give or take 30: five standard deviations.
  for (const count of countTenths(fractions)) expect(Math.abs(count - 1000)).toBeLessThan(150)
  expect(new Set(fractions).size).toBeGreaterThan(9900)
})

test('a machine always has the same fraction', () => {
  expect(computeEarlyFraction('desk', location)).toBe(computeEarlyFraction('desk', { ...location }))
  expect(computeEarlyFraction('', location)).not.toBe(computeEarlyFraction('desk', location))
})
