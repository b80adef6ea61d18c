import type { Run } from '../runs/run.ts'
import type { Observation, ScenarioName } from '../scenarios/scenario.ts'
import type { Matter, Verdict } from './rule.ts'
import { pageOf, type RuleId, ruleOf } from './rules.ts'

/** What one rule says of a helper; no secret is in it. */
export interface RuleVerdict {
  readonly rule: RuleId
  readonly verdict: Verdict
  readonly proves: string
  readonly seen: string
  /** Of a warning or a failure: what to do. */
  readonly hint?: string
  /** The failed rule without which this one says nothing. */
  readonly because?: RuleId
  readonly page: string
}

type Observed = ReadonlyMap<ScenarioName, Observation>

/** Judges rules by what was observed for them and all that they need; pure. */
export function validateRules(ids: readonly RuleId[], observed: Observed, matter: Matter): RuleVerdict[] {
  const judged = new Map<RuleId, RuleVerdict>()
  const judge = (id: RuleId): RuleVerdict => {
    const known = judged.get(id)
    if (known) return known
    const because = ruleOf(id)
      .needs.map(judge)
      .map(blameOf)
      .find((blamed) => blamed !== undefined)
    const verdict = {
      rule: id,
      proves: ruleOf(id).proves,
      ...validateOne(id, because, observed, matter),
      page: pageOf(id),
    }
    judged.set(id, verdict)
    return verdict
  }
  return ids.map(judge)
}

function blameOf({ rule, verdict, because }: RuleVerdict): RuleId | undefined {
  return verdict === 'fail' ? rule : because
}

function validateOne(id: RuleId, because: RuleId | undefined, observed: Observed, matter: Matter) {
  if (because)
    return { verdict: 'not-applicable', seen: `cannot be judged, because ${because} failed`, because } as const
  const { sees, judge } = ruleOf(id)
  const observations = sees.flatMap((name) => observed.get(name) ?? [])
  const absent = observations.find((observation) => 'absent' in observation)
  if (absent) return { verdict: 'not-applicable', seen: absent.absent } as const
  const runs: readonly Run[] = observations.flatMap((observation) => ('runs' in observation ? observation.runs : []))
  if (sees.length > 0 && runs.length === 0)
    return { verdict: 'not-applicable', seen: 'no run was made, because an earlier one gave no token' } as const
  return judge(runs, matter)
}
