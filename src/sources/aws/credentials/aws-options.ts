import type { OptionTable } from '../../../helper/options/option-table.ts'
import { signInOptions } from '../../oauth/sign-in-options.ts'
import { programOptions } from '../../program/program-options.ts'

/** The variables that set the region, in the order of the AWS tools. */
export const regionVariables = ['AWS_REGION', 'AWS_DEFAULT_REGION'] as const

/** The options of every helper that uses an AWS identity. */
export const awsOptions = {
  profile: {
    value: 'text',
    summary: 'the AWS profile; if set, no other is tried',
    variables: ['AWS_PROFILE'],
    asked: {},
  },
  region: {
    value: 'text',
    summary: "the AWS region (default: the profile's)",
    variables: regionVariables,
    asked: {},
  },
  'aws-chain': {
    value: ['auto', 'own', 'sdk'],
    default: 'auto',
    summary:
      'who finds the credentials of a profile: this program, and the AWS SDK where a profile has a setting that this program does not know (auto); always this program; always the SDK',
  },
  path: { value: 'text', summary: "the PATH on which a profile's credential_process finds its programs" },
  ...programOptions,
  ...signInOptions,
} as const satisfies OptionTable

/** The facts about an AWS identity that header templates may use. */
export const awsFacts = ['profile', 'account', 'region', 'role', 'arn', 'session_name'] as const
