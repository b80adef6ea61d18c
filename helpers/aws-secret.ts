import { defineHelper } from '../src/helper/define-helper.ts'
import { locateAwsFiles } from '../src/sources/aws/files/aws-files.ts'
import { createAwsSignIn, createPrintedCredentials, sdkChild } from '../src/sources/aws/helper-declaration.ts'
import {
  planSecret,
  type SecretPlan,
  secretDiagnosis,
  secretFacts,
  secretOptions,
  validateSecretOptions,
} from '../src/sources/aws/secret/plan-secret.ts'

export default defineHelper({
  summary: 'print a token that AWS Secrets Manager or Parameter Store keeps',
  options: secretOptions,
  help: {
    options: ['secret', 'parameter', 'json-key', 'profile', 'region', 'sign-in'],
    examples: [
      '--secret team/key --profile dev --explain',
      '--secret team/key --json-key token --profile dev',
      '--parameter /team/key --profile dev',
    ],
  },
  facts: secretFacts,
  children: sdkChild,
  reads: locateAwsFiles,
  validate: validateSecretOptions,
  plan: planSecret,
  ...secretDiagnosis,
  ...createPrintedCredentials((plan: SecretPlan) => plan.aws),
  ...createAwsSignIn((plan: SecretPlan) => plan.aws),

  async mint(host, options, call, plan) {
    const { mintStoredToken } = await import('../src/sources/aws/secret/mint-stored-token.ts')
    return mintStoredToken(host, options, call, plan)
  },
})
