import { createAwsDiagnosis } from '../aws/helper-declaration.ts'
import type { WorkloadOptions } from '../identity/identity-source.ts'
import type { WorkloadPlan } from './plan-workload-exchange.ts'

/** The report of `--explain` and `gatepass doctor` about a workload: its AWS identity, if it has one, and a failed exchange. */
export const workloadDiagnosis = createAwsDiagnosis<WorkloadOptions, WorkloadPlan>({
  isAws: ({ identity }) => identity === 'aws',
  toAwsPlan: ({ source }) => source.aws,
  permissions: () => [{ action: 'sts:GetWebIdentityToken', resource: '*' }],

  async exchange(options, call, plan) {
    const { attemptExchange } = await import('./attempt-exchange.ts')
    return attemptExchange(options, call, plan)
  },
})
