import { contextRules } from './context.ts'
import { harmRules } from './harm.ts'
import { lifeRules } from './life.ts'
import { outputRules } from './output.ts'
import type { Rule } from './rule.ts'
import { startRules } from './start.ts'

/** Every rule by its id, which never changes its meaning. */
export const rules = { ...startRules, ...outputRules, ...contextRules, ...harmRules, ...lifeRules }

export type RuleId = keyof typeof rules

/** In the order in which they are shown. */
export const ruleIds = Object.keys(rules) as RuleId[] // the keys of a constant

export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(rules, text)
}

/** A rule of the table. Its needs are ids of the table, which a test makes sure of. */
export function ruleOf(id: RuleId): Rule & { readonly needs: readonly RuleId[] } {
  return rules[id] as Rule & { readonly needs: readonly RuleId[] } // see above
}

/** Where a rule is explained, in the project's documentation. */
export function pageOf(id: RuleId): string {
  return `docs/check-helper.md#${id}`
}

/** These rules with all that they need, in the order of the table. */
export function withNeeds(chosen: readonly RuleId[]): RuleId[] {
  const wanted = new Set(chosen)
  for (const id of wanted) for (const need of ruleOf(id).needs) wanted.add(need)
  return ruleIds.filter((id) => wanted.has(id))
}
