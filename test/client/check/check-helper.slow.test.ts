import { expect, test } from 'vitest'
import type { RuleId } from '../../../src/client/check/rules/rules.ts'
import { checkGalleryHelper, findInGallery, outcomeOf } from './gallery.ts'

test('a helper that keeps every rule passes, and what is not applicable says why', async () => {
  const { result, verdicts } = await checkGalleryHelper(findInGallery('good'))
  const other = verdicts.filter(({ verdict }) => verdict !== 'pass').map(({ rule, verdict }) => [rule, verdict])
  expect({ result, other }).toEqual({
    result: 'passed',
    other: [
      ['bedrock-life', 'not-applicable'],
      ['bedrock-signature', 'not-applicable'],
    ],
  })
})

/** A few of the gallery by their own rule alone; with all rules they are in the slow tests. */
test.each<[name: string, rule: RuleId]>([
  ['browser-in-silent-context', 'no-browser'],
  ['asks-on-terminal', 'terminal-prompt'],
  ['token-in-arguments', 'secret-in-children'],
  ['token-in-log', 'secret-in-files'],
  ['keychain-hangs', 'refresh-in-time'],
  ['recursion', 'recursion'],
])('%s fails %s', async (name, rule) => {
  expect(outcomeOf(await checkGalleryHelper(findInGallery(name), [rule]))).toEqual({ fails: [rule], warns: [] })
})
