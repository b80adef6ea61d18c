import { expect, test } from 'vitest'
import type { CheckReport } from '../../../src/client/check/check-helper.ts'
import type { RuleOutcome } from '../../../src/client/check/rules/rule.ts'
import type { RuleId } from '../../../src/client/check/rules/rules.ts'
import { checkGalleryHelper, listGallery } from './gallery.ts'

/** Every third helper, because runs one after the other take three times as long. */
const some = listGallery().filter((_, index) => index % 3 === 0)

test.each(some.map((helper) => ({ name: helper.name, helper })))(
  '$name gets the same verdicts at once as from one run at a time',
  async ({ helper }) => {
    const { fails } = helper
    const atOnce = await checkGalleryHelper(helper)
    const alone = await checkGalleryHelper(helper, { pace: 'one-at-a-time' })
    const tried = atOnce.verdicts.filter(({ seen }) => !seen.startsWith('not tried: since ten runs at once'))
    const compared = tried.filter((row) => !isChance(row, alone))
    expect(toVerdicts(alone.verdicts), JSON.stringify(alone.verdicts, undefined, 1)).toMatchObject(toVerdicts(compared))
    if (!fails.includes('parallel-runs')) expect(tried).toEqual(atOnce.verdicts)
  },
)

/** A helper that ends within a few milliseconds is sometimes over before it is killed, and the rule is then not applicable. */
function isChance({ rule, verdict }: CheckReport['verdicts'][number], other: CheckReport): boolean {
  const verdicts = [verdict, toVerdicts(other.verdicts)['after-kill']]
  return rule === 'after-kill' && verdicts.includes('not-applicable')
}

function toVerdicts(verdicts: CheckReport['verdicts']): Partial<Record<RuleId, RuleOutcome>> {
  return Object.fromEntries(verdicts.map(({ rule, verdict }) => [rule, verdict]))
}
