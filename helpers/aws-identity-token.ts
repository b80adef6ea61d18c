import { defineHelper } from '../src/helper/define-helper.ts'
import { createPrintedCredentials } from '../src/sources/aws/credentials/printed-credentials.ts'
import { locateAwsFiles } from '../src/sources/aws/credentials/shared-files.ts'
import { identityTokenDiagnosis } from '../src/sources/aws/identity-token/diagnosis.ts'
import { identityTokenFacts, identityTokenOptions } from '../src/sources/aws/identity-token/options.ts'
import { type IdentityTokenPlan, planIdentityToken } from '../src/sources/aws/identity-token/plan.ts'
import { awsSignIn } from '../src/sources/aws/sign-in/aws-sign-in.ts'
import { identityLife } from '../src/sources/aws/web-identity/web-identity.ts'

export default defineHelper({
  summary: 'print a token in which AWS STS signs who an AWS profile is, or exchange it',
  options: identityTokenOptions,
  facts: identityTokenFacts,
  longestLifeSec: identityLife.longestSec,
  reads: locateAwsFiles,
  plan: planIdentityToken,
  ...identityTokenDiagnosis,
  ...createPrintedCredentials((plan: IdentityTokenPlan) => plan.aws),

  async signIn(host, options, call, plan) {
    return awsSignIn.signIn(host, options, call, plan.aws)
  },

  async mint(host, options, call, plan) {
    // Loaded here, so that a call that is served from the cache does not wait for it.
    const { mintIdentityToken } = await import('../src/sources/aws/identity-token/mint.ts')
    return mintIdentityToken({ host, path: options.path }, call, plan)
  },
})
