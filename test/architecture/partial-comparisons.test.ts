import { expect, test } from 'vitest'
import { tests } from './source-files.ts'

/** Comparisons that look at a part of an outcome, and so miss what else has changed. */
const partial = /\.toMatchObject\(|\.toContain\(|\.toMatch\(|\b(?:string|object|array)(?:Matching|Containing)\(/g

/**
 * The most that there may be. It only falls: compare the whole outcome with `toEqual`, and lower the number with the commit that does. A part
 * is enough where the rest is random, or belongs to somebody else, such as the page of a real provider.
 */
const most = 569

test('no more comparisons look at a part of an outcome than before', () => {
  const found = tests.flatMap(({ text }) => text.match(partial) ?? [])
  expect(found.length).toBeLessThanOrEqual(most)
  // The number is lowered when it falls, so that nobody fills it up again.
  expect(found.length).toBeGreaterThan(most - 40)
})
