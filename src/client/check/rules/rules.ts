import type { HelperClient } from '../../../contract/clients/client.ts'
import { awsKeyRules } from './aws-keys.ts'
import { concurrencyRules } from './concurrency.ts'
import { contextRules } from './context.ts'
import { environmentRules } from './environment.ts'
import { launchRules } from './launch.ts'
import { lifetimeRules } from './lifetime.ts'
import { networkRules } from './network.ts'
import { otherClientRules } from './other-clients.ts'
import { outputRules } from './output.ts'
import type { Rule } from './rule.ts'
import { secretRules } from './secrets.ts'

/** Every rule by its id. The ids are an interface: none ever changes its meaning. */
const rules = {
  ...launchRules,
  ...environmentRules,
  ...outputRules,
  ...otherClientRules,
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

/** The rules of one client, in the order in which they are shown. */
export function listRules(client: HelperClient): RuleId[] {
  return ruleIds.filter((id) => toRule(id).isFor?.(client) ?? true)
}

/** The rules of a client that this one needs: in place of one that is not the client's, what that one needs itself. */
export function listNeeds(id: RuleId, client: HelperClient): RuleId[] {
  const needs: readonly RuleId[] = toRule(id).needs
  return needs.flatMap((need) => {
    if (toRule(need).isFor?.(client) ?? true) return [need]
    return insteadOf.get(need) ?? listNeeds(need, client)
  })
}

/** What rules of every client stand on where theirs is a rule of the desktop client. */
const insteadOf: ReadonlyMap<RuleId, RuleId[]> = new Map([
  ['headers', ['client-output']],
  ['refresh-works', ['runs-again']],
])

/** These rules and all that they need, as far as they are the client's, in the order in which they are shown. */
export function expandRules(chosen: readonly RuleId[], client: HelperClient): RuleId[] {
  const own = listRules(client)
  const wanted = new Set(chosen.filter((id) => own.includes(id)))
  for (const id of wanted) for (const need of listNeeds(id, client)) wanted.add(need)
  return own.filter((id) => wanted.has(id))
}
