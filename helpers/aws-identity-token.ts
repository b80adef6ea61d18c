import { defineHelper } from '../src/helper/define-helper.ts'
import { locateAwsFiles } from '../src/sources/aws/files/aws-files.ts'
import { createAwsSignIn, createPrintedCredentials, sdkChild } from '../src/sources/aws/helper-declaration.ts'
import { identityTokenFacts, identityTokenOptions } from '../src/sources/aws/identity-token/identity-token-options.ts'
import {
  type IdentityTokenPlan,
  identityTokenDiagnosis,
  planIdentityToken,
  validateIdentityTokenOptions,
} from '../src/sources/aws/identity-token/plan-identity-token.ts'
import { identityLife } from '../src/sources/identity/aws-web-identity.ts'

export default defineHelper({
  summary: 'print a JWT, signed by AWS, that names the caller, or exchange it',
  options: identityTokenOptions,
  help: {
    options: ['audience', 'profile', 'region', 'sign-in', 'tag', 'lifetime', 'exchange'],
    examples: ['--audience gateway --profile dev --explain', '--audience gateway --profile dev --tag team=blue'],
  },
  facts: identityTokenFacts,
  children: sdkChild,
  longestLifeSec: identityLife.longestSec,
  reads: locateAwsFiles,
  validate: validateIdentityTokenOptions,
  plan: planIdentityToken,
  ...identityTokenDiagnosis,
  ...createPrintedCredentials((plan: IdentityTokenPlan) => plan.aws),
  ...createAwsSignIn((plan: IdentityTokenPlan) => plan.aws),

  async mint(host, options, call, plan) {
    const { mintIdentityToken } = await import('../src/sources/aws/identity-token/mint-identity-token.ts')
    return mintIdentityToken({ host, path: options.path }, call, plan)
  },
})
