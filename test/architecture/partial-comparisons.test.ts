import { expect, test } from 'vitest'
import { tests } from './source-files.ts'

/** Comparisons that look at a part, and so miss what else has changed. */
const partial = {
  // That a secret is absent holds for every part of a text, so `not.toContain` compares the whole.
  outcome:
    /(?<!\.not)\.(?:toMatchObject|toContain|toMatch)\(|(?<!\b(?:not|fc)\.)\b(?:string|object|array)(?:Matching|Containing)\(/g,
  // Words of a message hide the rest of it, and the kind and the hint of the error.
  message: /\.toThrow\(\s*['"`/]/g,
} as const

/**
 * The most that there may be. They only fall: compare the whole outcome or the whole error with `toEqual`, and lower the number with the
 * commit that does. A part is enough where the rest is random, or belongs to somebody else, such as the page of a real provider.
 */
const most = { outcome: 95, message: 18 } as const

test.each(['outcome', 'message'] as const)('no more comparisons than before look at a part of the %s', (whole) => {
  const found = tests.flatMap(({ text }) => text.match(partial[whole]) ?? [])
  expect(found.length).toBeLessThanOrEqual(most[whole])
  // The number is lowered when it falls, so that nobody fills it up again.
  expect(found.length).toBeGreaterThan(most[whole] - 40)
})

// Another failure may end with the same status.
test('every comparison of an exit status includes the output', () => {
  const alone = /\bstatus\)\.(?:not\.)?toBe\([0-9]\)/
  expect(tests.filter(({ text }) => alone.test(text)).map(({ path }) => path)).toEqual([])
})
