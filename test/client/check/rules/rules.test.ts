import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../../pkg-scripts/tree.ts'
import { expandRules, isRuleId, ruleIds, toRule } from '../../../../src/client/check/rules/rules.ts'
import { scenarioNames } from '../../../../src/client/check/scenarios.ts'
import { clients } from '../../../../src/contract/clients.ts'

test('every rule needs only rules that exist', () => {
  expect(ruleIds.flatMap((id) => toRule(id).needs.filter((need) => !isRuleId(need)))).toEqual([])
})

test('no rule needs itself', () => {
  const circular = ruleIds.filter(
    (id) => toRule(id).needs.length > 0 && expandRules(toRule(id).needs, clients.desktop).includes(id),
  )
  expect(circular).toEqual([])
})

test('every scenario is read by a rule', () => {
  const seen = new Set(ruleIds.flatMap((id) => toRule(id).scenarios))
  expect(scenarioNames.filter((name) => !seen.has(name))).toEqual([])
})

const documentation = readFileSync(join(root, 'docs/check-helper.md'), 'utf8')

test('every rule has its section in the documentation, in the order of the table', () => {
  expect([...documentation.matchAll(/^### `(.+)`$/gm)].map(([, id]) => id)).toEqual(ruleIds)
})

test('the section of every rule says what the rule proves', () => {
  const text = documentation.replaceAll(/\s+/g, ' ')
  expect(ruleIds.filter((id) => !text.includes(toRule(id).proves))).toEqual([])
})
