import { defineHelper } from '../src/helper/define-helper.ts'
import { createAwsDiagnosis, sdkChild } from '../src/sources/aws/helper-declaration.ts'
import {
  planWorkload,
  prepareExchange,
  validateWorkload,
  type WorkloadPlan,
} from '../src/sources/exchange/plan-workload.ts'
import type { WorkloadOptions } from '../src/sources/identity/identity-source.ts'
import { longestWorkloadLifeSec, workloadFacts, workloadOptions } from '../src/sources/identity/workload-options.ts'

export default defineHelper({
  summary: "exchange a workload's identity token for an access token of the platform",
  options: workloadOptions,
  help: {
    options: ['base-url', 'organization', 'federation-rule', 'service-account', 'workspace', 'identity', 'audience'],
    examples: [
      '--identity github-actions --base-url https://api.example.com \\\n    --organization "$ORGANIZATION" --federation-rule "$RULE"',
      '--identity google --base-url https://api.example.com \\\n    --organization "$ORGANIZATION" --federation-rule "$RULE" --explain',
    ],
  },
  facts: workloadFacts,
  children: sdkChild,
  longestLifeSec: longestWorkloadLifeSec,
  validate: validateWorkload,
  plan: planWorkload,
  ...createAwsDiagnosis<WorkloadOptions, WorkloadPlan>({
    isAws: ({ identity }) => identity === 'aws',
    toAwsPlan: ({ source }) => source.aws,
    permissions: () => [{ action: 'sts:GetWebIdentityToken', resource: '*' }],

    exchange: prepareExchange,
  }),

  async mint(host, _options, call, plan) {
    const { mintWorkloadToken } = await import('../src/sources/exchange/mint-workload-token.ts')
    return mintWorkloadToken(host, call, plan)
  },
})
