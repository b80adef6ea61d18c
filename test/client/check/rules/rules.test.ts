import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../../pkg-scripts/tree.ts'
import { expandRules, isRuleId, ruleIds, toRule } from '../../../../src/client/check/rules/rules.ts'
import { scenarioNames } from '../../../../src/client/check/scenarios.ts'
import { clients } from '../../../../src/contract/clients.ts'

test('every rule needs rules that there are, and never itself', () => {
  const unknown = ruleIds.flatMap((id) => toRule(id).needs.filter((need) => !isRuleId(need)))
  expect(unknown).toEqual([])
  const circular = ruleIds.filter(
    (id) => toRule(id).needs.length > 0 && expandRules(toRule(id).needs, clients.desktop).includes(id),
  )
  expect(circular).toEqual([])
})

test('every scenario is read by a rule', () => {
  const seen = new Set(ruleIds.flatMap((id) => toRule(id).scenarios))
  expect(scenarioNames.filter((name) => !seen.has(name))).toEqual([])
})

test('every rule has its section in the documentation, in the order of the table', () => {
  const text = readFileSync(join(root, 'docs/check-helper.md'), 'utf8')
  expect([...text.matchAll(/^### `(.+)`$/gm)].map(([, id]) => id)).toEqual(ruleIds)
  const silent = ruleIds.filter((id) => !text.replaceAll(/\s+/g, ' ').includes(toRule(id).proves))
  expect(silent, 'rules whose section does not say what they prove').toEqual([])
})
