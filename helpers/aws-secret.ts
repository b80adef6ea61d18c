import { defineHelper } from '../src/helper/define-helper.ts'
import { createPrintedCredentials } from '../src/sources/aws/credentials/printed-credentials.ts'
import { locateAwsFiles } from '../src/sources/aws/credentials/shared-files.ts'
import { secretDiagnosis } from '../src/sources/aws/secret/diagnosis.ts'
import { secretFacts, secretOptions } from '../src/sources/aws/secret/options.ts'
import { planSecret, type SecretPlan } from '../src/sources/aws/secret/plan.ts'
import { awsSignIn } from '../src/sources/aws/sign-in/aws-sign-in.ts'

export default defineHelper({
  summary: 'print a token that AWS Secrets Manager or Parameter Store keeps',
  options: secretOptions,
  facts: secretFacts,
  reads: locateAwsFiles,
  plan: planSecret,
  ...secretDiagnosis,
  ...createPrintedCredentials((plan: SecretPlan) => plan.aws),

  async signIn(host, options, call, plan) {
    return awsSignIn.signIn(host, options, call, plan.aws)
  },

  async mint(host, options, call, plan) {
    // Loaded here, so that a call that is served from the cache does not wait for it.
    const { mintStoredToken } = await import('../src/sources/aws/secret/mint.ts')
    return mintStoredToken(host, options, call, plan)
  },
})
