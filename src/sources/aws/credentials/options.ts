import type { OptionTable } from '../../../helper/options/table.ts'

/** What every helper on an AWS identity can be told. */
export const awsOptions = {
  profile: { value: 'text', summary: 'the AWS profile; named, it is final', variables: ['AWS_PROFILE'] },
  region: {
    value: 'text',
    summary: "the AWS region (default: the profile's)",
    variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
  },
  path: { value: 'text', summary: "the PATH on which a profile's credential_process finds its programs" },
} as const satisfies OptionTable

/** What header templates can tell of an AWS identity. */
export const awsFacts = ['profile', 'account', 'region', 'role'] as const

/** Longest life that Bedrock grants a short-term key, in seconds. AWS documentation of short-term API keys. */
export const longestBedrockLifeSec = 43_200
