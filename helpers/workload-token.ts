import { defineHelper } from '../src/helper/define-helper.ts'
import { planWorkload } from '../src/sources/exchange/plan.ts'
import { workloadDiagnosis } from '../src/sources/exchange/workload-diagnosis.ts'
import { longestWorkloadLifeSec, workloadFacts, workloadOptions } from '../src/sources/identity/options.ts'

export default defineHelper({
  summary: "exchange a workload's identity token for an access token of the platform",
  options: workloadOptions,
  facts: workloadFacts,
  longestLifeSec: longestWorkloadLifeSec,
  plan: planWorkload,
  ...workloadDiagnosis,

  async mint(host, _options, call, plan) {
    // Loaded here, so that a call that is served from the cache does not wait for it.
    const { mintWorkloadToken } = await import('../src/sources/exchange/mint-access-token.ts')
    return mintWorkloadToken(host, call, plan)
  },
})
