import { proofLifeSec } from '../src/contract/aws/caller-identity.ts'
import { defineHelper } from '../src/helper/define-helper.ts'
import { awsFacts } from '../src/sources/aws/credentials/aws-options.ts'
import { locateAwsFiles } from '../src/sources/aws/files/aws-files.ts'
import {
  createAwsDiagnosis,
  createAwsSignIn,
  createPrintedCredentials,
  sdkChild,
} from '../src/sources/aws/helper-declaration.ts'
import {
  type CallerIdentityPlan,
  callerIdentityOptions,
  longestProofTtlSec,
  planCallerIdentity,
  validateCallerIdentity,
} from '../src/sources/aws/proofs/plan-caller-identity.ts'

export default defineHelper({
  summary: 'print a proof of an AWS identity, which AWS itself confirms',
  options: callerIdentityOptions,
  help: {
    options: ['audience', 'form', 'profile', 'region', 'sign-in'],
    examples: [
      '--audience gateway.example --profile dev --explain',
      '--audience gateway.example --profile dev --format headers',
    ],
  },
  facts: awsFacts,
  children: sdkChild,
  reads: locateAwsFiles,
  longestLifeSec: proofLifeSec,
  longestTtlSec: longestProofTtlSec,
  validate: validateCallerIdentity,
  plan: planCallerIdentity,
  // AWS permits every identity to ask who it is, whatever its policies say.
  ...createAwsDiagnosis({ toAwsPlan: (plan: CallerIdentityPlan) => plan, permissions: () => [] }),
  ...createPrintedCredentials((plan: CallerIdentityPlan) => plan),
  ...createAwsSignIn((plan: CallerIdentityPlan) => plan),

  async mint(host, options, call, plan) {
    const [{ fetchAwsCredentials }, { signCallerIdentity }] = await Promise.all([
      import('../src/sources/aws/credentials/credentials.ts'),
      import('../src/sources/aws/proofs/caller-identity.ts'),
    ])
    const credentials = await fetchAwsCredentials({ host, call, plan, path: options.path })
    return signCallerIdentity(credentials, plan, { now: host.clock.now(), call })
  },
})
