// Folder: the rules of a check: the promise that each proves, and its verdict on the observed runs.

import type { HelperClient } from '../../../contract/client.ts'
import type { ScenarioName, ScenarioObservation } from '../check-scenario.ts'
import type { Run } from '../runs/run.ts'
import { contextRules, historyRules } from './context-rules.ts'
import { environmentRules, launchRules } from './launch-rules.ts'
import { awsKeyRules, lifetimeRules } from './lifetime-rules.ts'
import { concurrencyRules, networkRules } from './network-rules.ts'
import { otherClientRules } from './other-client-rules.ts'
import { outputRules, secretRules } from './output-rules.ts'
import { type CheckFacts, type ContractRule, type RuleOutcome, type RuleResult, skip } from './rule.ts'

/** Every rule by its id. Ids are a public interface, so an id never changes its meaning. */
const rules = {
  ...launchRules,
  ...environmentRules,
  ...outputRules,
  ...otherClientRules,
  ...contextRules,
  ...networkRules,
  ...historyRules,
  ...concurrencyRules,
  ...secretRules,
  ...lifetimeRules,
  ...awsKeyRules,
}

/** The id of a rule, as `--rule` takes it. */
export type RuleId = keyof typeof rules

/** The ids in display order. */
export const ruleIds = Object.keys(rules) as RuleId[] // the keys of a constant

export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(rules, text)
}

/** Returns the rule with this id. A test ensures that its needs are ids too. */
export function toRule(id: RuleId): ContractRule & { readonly needs: readonly RuleId[] } {
  return rules[id] as ContractRule & { readonly needs: readonly RuleId[] } // the test checks the ids
}

/** Lists the rules of one client in display order. */
export function listRules(client: HelperClient): RuleId[] {
  return ruleIds.filter((id) => toRule(id).isFor?.(client) ?? true)
}

/** Adds the rules that these need, if they apply to the client, in display order. */
export function expandRules(chosen: readonly RuleId[], client: HelperClient): RuleId[] {
  const known = listRules(client)
  const wanted = new Set(chosen.filter((id) => known.includes(id)))
  for (const id of wanted) for (const need of listNeeds(id, client)) wanted.add(need)
  return known.filter((id) => wanted.has(id))
}

/** Lists the rules of a client that this one needs. A needed rule that does not apply to the client is replaced by its own needs. */
function listNeeds(id: RuleId, client: HelperClient): RuleId[] {
  const needs: readonly RuleId[] = toRule(id).needs
  return needs.flatMap((need) => {
    if (toRule(need).isFor?.(client) ?? true) return [need]
    return replacements.get(need) ?? listNeeds(need, client)
  })
}

/** Rules that replace a needed rule of the desktop client for other clients. */
const replacements: ReadonlyMap<RuleId, RuleId[]> = new Map([
  ['headers', ['client-output']],
  ['refresh-works', ['runs-again']],
])

/** The result of one rule for a report; it contains no secret. */
export interface RuleVerdict {
  readonly rule: RuleId
  readonly verdict: RuleOutcome
  readonly proves: string
  readonly seen: string
  /** The hint of a warning or a failure. */
  readonly hint?: string
  /** The failed rule because of which this one was skipped. */
  readonly because?: RuleId
  readonly page: string
}

/** The observations of a check, by the scenario in which they were made. */
export type ScenarioObservations = ReadonlyMap<ScenarioName, ScenarioObservation>

/** Validates rules against the observations, after the rules that they need; pure. */
export function validateRules(
  ids: readonly RuleId[],
  observations: ScenarioObservations,
  facts: CheckFacts,
): readonly RuleVerdict[] {
  const known = new Map<RuleId, RuleVerdict>()
  const validate = (id: RuleId): RuleVerdict => {
    const { proves } = toRule(id)
    const verdict = known.get(id) ?? {
      rule: id,
      proves,
      ...validateRule(id, findFailure(listNeeds(id, facts.client).map(validate)), observations, facts),
      page: `docs/check-helper.md#${id}`,
    }
    known.set(id, verdict)
    return verdict
  }
  return ids.map(validate)
}

/** Finds the rule that failed first. For a skipped rule, it is the rule that caused the skip. */
function findFailure(needed: readonly RuleVerdict[]): RuleId | undefined {
  return needed
    .map(({ rule, verdict, because }) => (verdict === 'fail' ? rule : because))
    .find((failed) => failed !== undefined)
}

function validateRule(
  id: RuleId,
  because: RuleId | undefined,
  observed: ScenarioObservations,
  facts: CheckFacts,
): RuleResult & Pick<RuleVerdict, 'because'> {
  if (because) return { ...skip(`skipped: ${because} failed`), because }
  const { scenarios, validate } = toRule(id)
  const observations = scenarios.flatMap((name) => observed.get(name) ?? [])
  const unavailable = observations.find((observation) => 'unavailable' in observation)
  const runs = observations.flatMap((observation) => ('runs' in observation ? observation.runs : []))
  if (unavailable) return validatePart(runs, facts, validate) ?? skip(unavailable.unavailable)
  if (scenarios.length > 0 && runs.length === 0) return skip('skipped: an earlier run gave no token')
  return validate(runs, facts)
}

/** Finds a problem in the runs that were made, even if others are missing. */
function validatePart(
  runs: readonly Run[],
  facts: CheckFacts,
  validate: ContractRule['validate'],
): RuleResult | undefined {
  const result = runs.length > 0 ? validate(runs, facts) : undefined
  return result?.verdict === 'pass' ? undefined : result
}
