import { awsKeyRules } from './aws-keys.ts'
import { concurrencyRules } from './concurrency.ts'
import { contextRules } from './context.ts'
import { environmentRules } from './environment.ts'
import { launchRules } from './launch.ts'
import { lifetimeRules } from './lifetime.ts'
import { networkRules } from './network.ts'
import { outputRules } from './output.ts'
import type { Rule } from './rule.ts'
import { secretRules } from './secrets.ts'

/** Every rule by its id. The ids are an interface: none ever changes its meaning. */
const rules = {
  ...launchRules,
  ...environmentRules,
  ...outputRules,
  ...contextRules,
  ...networkRules,
  ...concurrencyRules,
  ...secretRules,
  ...lifetimeRules,
  ...awsKeyRules,
}

/** The id of a rule, which a person can name with `--rule`. */
export type RuleId = keyof typeof rules

/** In the order in which they are shown. */
export const ruleIds = Object.keys(rules) as RuleId[] // the keys of a constant

/** Whether a rule has this id. */
export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(rules, text)
}

/** The rule with this id. Its needs are ids too, which a test makes sure of. */
export function toRule(id: RuleId): Rule & { readonly needs: readonly RuleId[] } {
  return rules[id] as Rule & { readonly needs: readonly RuleId[] } // see above
}

/** Where the project's documentation explains a rule. */
export function toPageLink(id: RuleId): string {
  return `docs/check-helper.md#${id}`
}

/** These rules and all that they need, in the order in which they are shown. */
export function expandRules(chosen: readonly RuleId[]): RuleId[] {
  const wanted = new Set(chosen)
  for (const id of wanted) for (const need of toRule(id).needs) wanted.add(need)
  return ruleIds.filter((id) => wanted.has(id))
}
