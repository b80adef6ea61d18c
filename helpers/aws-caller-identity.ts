import { proofLifeSec } from '../src/contract/aws-identity/caller-identity.ts'
import { defineHelper } from '../src/helper/define-helper.ts'
import { awsFacts } from '../src/sources/aws/credentials/options.ts'
import { createPrintedCredentials } from '../src/sources/aws/credentials/printed-credentials.ts'
import { locateAwsFiles } from '../src/sources/aws/credentials/shared-files.ts'
import { createAwsDiagnosis } from '../src/sources/aws/diagnosis/aws-diagnosis.ts'
import { callerIdentityOptions, longestProofTtlSec } from '../src/sources/aws/proofs/caller-identity-options.ts'
import { type CallerIdentityPlan, planCallerIdentity } from '../src/sources/aws/proofs/plan-caller-identity.ts'
import { awsSignIn } from '../src/sources/aws/sign-in/aws-sign-in.ts'

export default defineHelper({
  summary: 'print a proof of an AWS identity, which AWS itself confirms',
  options: callerIdentityOptions,
  facts: awsFacts,
  reads: locateAwsFiles,
  longestLifeSec: proofLifeSec,
  longestTtlSec: longestProofTtlSec,
  plan: planCallerIdentity,
  // AWS lets every identity ask who it is.
  ...createAwsDiagnosis({ toAwsPlan: (plan: CallerIdentityPlan) => plan, permissions: () => [] }),
  ...createPrintedCredentials((plan: CallerIdentityPlan) => plan),

  async signIn(host, options, call, plan) {
    return awsSignIn.signIn(host, options, call, plan)
  },

  async mint(host, options, call, plan) {
    // Loaded here, so that a call that is served from the cache does not wait for it.
    const [{ resolveAwsCredentials }, { signCallerIdentity }] = await Promise.all([
      import('../src/sources/aws/credentials/credentials.ts'),
      import('../src/sources/aws/proofs/caller-identity.ts'),
    ])
    const credentials = await resolveAwsCredentials({ host, call, plan, path: options.path })
    return signCallerIdentity(credentials, plan, { now: host.clock.now(), call })
  },
})
