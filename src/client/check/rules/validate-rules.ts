import type { Run } from '../runs/run.ts'
import type { Observation, ScenarioName } from '../scenarios/scenario.ts'
import { type CheckFacts, type Rule, type RuleResult, skip, type Verdict } from './rule.ts'
import { listNeeds, type RuleId, toPageLink, toRule } from './rules.ts'

/** The result of one rule, fit for a report: no secret is in it. */
export interface RuleVerdict {
  readonly rule: RuleId
  readonly verdict: Verdict
  readonly proves: string
  readonly seen: string
  /** What to do about a warning or a failure. */
  readonly hint?: string
  /** The failed rule because of which this one was skipped. */
  readonly because?: RuleId
  readonly page: string
}

type Observations = ReadonlyMap<ScenarioName, Observation>

/** Checks rules, and first those that they need, against what was observed; pure. */
export function validateRules(
  ids: readonly RuleId[],
  observations: Observations,
  facts: CheckFacts,
): readonly RuleVerdict[] {
  const known = new Map<RuleId, RuleVerdict>()
  const validate = (id: RuleId): RuleVerdict => {
    const { proves } = toRule(id)
    const verdict = known.get(id) ?? {
      rule: id,
      proves,
      ...validateRule(id, findFailure(listNeeds(id, facts.client).map(validate)), observations, facts),
      page: toPageLink(id),
    }
    known.set(id, verdict)
    return verdict
  }
  return ids.map(validate)
}

/** The rule that failed first: of a rule that was skipped, the one because of which it was. */
function findFailure(needed: readonly RuleVerdict[]): RuleId | undefined {
  return needed
    .map(({ rule, verdict, because }) => (verdict === 'fail' ? rule : because))
    .find((failed) => failed !== undefined)
}

function validateRule(
  id: RuleId,
  because: RuleId | undefined,
  observed: Observations,
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

/** What is wrong already with those of a rule's runs that were made. */
function validatePart(runs: readonly Run[], facts: CheckFacts, validate: Rule['validate']): RuleResult | undefined {
  const result = runs.length > 0 ? validate(runs, facts) : undefined
  return result?.verdict === 'pass' ? undefined : result
}
