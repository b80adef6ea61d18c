import { describe, expect, test } from 'vitest'
import type { CheckReport } from '../../../src/client/check/check-helper.ts'
import type { Verdict } from '../../../src/client/check/rules/rule.ts'
import { type RuleId, ruleIds } from '../../../src/client/check/rules/rules.ts'
import { checkGalleryHelper, type GalleryHelper, listGallery, outcomeOf } from './gallery.ts'

const gallery = listGallery()

/** What waits for a timeout waits beside the others; what depends on the moment is on its own. */
describe.concurrent('of the gallery', () => {
  test.each(gallery.filter(({ isTimed }) => !isTimed).map(asRow))('$name: $mistake', expectItsRules)
})

describe('of the gallery, alone', () => {
  test.each(gallery.filter(({ isTimed }) => isTimed).map(asRow))('$name: $mistake', expectItsRules)
})

function asRow(helper: GalleryHelper) {
  return { name: helper.name, mistake: helper.mistake, helper }
}

async function expectItsRules({ helper }: { helper: GalleryHelper }): Promise<void> {
  const { fails, warns } = helper
  const atOnce = await checkGalleryHelper(helper)
  expect(outcomeOf(atOnce), JSON.stringify(atOnce.verdicts, undefined, 1)).toEqual({ fails, warns })
  // Every third, because it takes three times as long.
  if (gallery.indexOf(helper) % 3 === 0) await expectEqualPaces(helper, atOnce)
}

/** What is tried at once has the verdicts of what is tried alone. */
async function expectEqualPaces(helper: GalleryHelper, atOnce: CheckReport): Promise<void> {
  const { fails } = helper
  const alone = await checkGalleryHelper(helper, { pace: 'one-at-a-time' })
  const tried = atOnce.verdicts.filter(({ seen }) => !seen.startsWith('not tried: since ten runs at once'))
  const compared = tried.filter((row) => !isChance(row, alone))
  expect(toVerdicts(alone.verdicts), JSON.stringify(alone.verdicts, undefined, 1)).toMatchObject(toVerdicts(compared))
  if (!fails.includes('parallel-runs')) expect(tried).toEqual(atOnce.verdicts)
}

/** A helper that ends within a few milliseconds is sometimes over before it is killed, and the rule is then not applicable. */
function isChance({ rule, verdict }: CheckReport['verdicts'][number], other: CheckReport): boolean {
  const verdicts = [verdict, toVerdicts(other.verdicts)['after-kill']]
  return rule === 'after-kill' && verdicts.includes('not-applicable')
}

function toVerdicts(verdicts: CheckReport['verdicts']): Partial<Record<RuleId, Verdict>> {
  return Object.fromEntries(verdicts.map(({ rule, verdict }) => [rule, verdict]))
}

test('every rule has a helper that breaks it, but one on the command line alone and one that takes ten seconds', () => {
  const broken = new Set(gallery.flatMap(({ fails, warns }) => [...fails, ...warns]))
  expect(ruleIds.filter((id) => !broken.has(id))).toEqual(['command-line', 'slow-notice'])
})
