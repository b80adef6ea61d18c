import { expect, test } from 'vitest'
import { computeEntryFraction } from '../../../src/helper/cache/entry.ts'

const location = { directory: '/home/dana/.cache/gatepass', program: 'tool', key: 'k' }
const minted = Date.parse('2026-01-15T09:00:00Z')

/** How many of the fractions are in each tenth of the time. */
function countTenths(fractions: readonly number[]): number[] {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (const fraction of fractions) tenths[Math.floor(fraction * 10)]! += 1
  return tenths
}

const indices = Array.from({ length: 10_000 }, (_, index) => index)

test.each<[what: string, fractionOf: (index: number) => number]>([
  ['machines', (index) => computeEntryFraction(`desk-${index}`, location, minted)],
  [
    'people of one machine',
    (index) => computeEntryFraction('desk', { ...location, directory: `/home/p${index}` }, minted),
  ],
  ['entries of one person', (index) => computeEntryFraction('desk', { ...location, key: `${index}` }, minted)],
])('ten thousand %s are spread evenly', (_, fractionOf) => {
  const fractions = indices.map(fractionOf)
  // A thousand each, give or take 30: five standard deviations.
  const uneven = countTenths(fractions).filter((count) => Math.abs(count - 1000) >= 150)
  expect({ uneven, areDifferent: new Set(fractions).size > 9900 }).toEqual({ uneven: [], areDifferent: true })
})

test('a machine renews some of its tokens earlier than others, around an amount of its own', () => {
  const medians = indices.slice(0, 20).map((machine) => {
    const fractions = indices.slice(0, 200).map((mint) => computeEntryFraction(`${machine}`, location, minted + mint))
    const [least = 0, median = 0, most = 0] = fractions.toSorted((a, b) => a - b).filter((_, at) => at % 99 === 0)
    expect(most - least).toBeGreaterThan(0.3)
    return median
  })
  expect(Math.max(...medians) - Math.min(...medians)).toBeGreaterThan(0.4)
})

test('a token always has the same fraction', () => {
  const fraction = computeEntryFraction('desk', location, minted)
  expect(computeEntryFraction('desk', { ...location }, minted)).toBe(fraction)
  expect(computeEntryFraction('', location, minted)).not.toBe(fraction)
})
