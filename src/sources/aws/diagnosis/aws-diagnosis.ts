import type { AwsPlan } from '../credentials/plan.ts'

/** What every helper that uses an AWS identity declares for `--explain`. Loaded on use, because a call does without. */
export const awsDiagnosis = {
  async explain(plan: AwsPlan): Promise<readonly string[]> {
    const { explainAwsPlan } = await import('./explain-plan.ts')
    return explainAwsPlan(plan)
  },
}
