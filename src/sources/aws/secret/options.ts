import type { Options, OptionTable } from '../../../helper/options/table.ts'
import { awsFacts, awsOptions } from '../credentials/options.ts'

/** The options of a helper that prints a token which AWS keeps. */
export const secretOptions = {
  secret: {
    value: 'text',
    summary: 'the name or ARN of a secret in Secrets Manager; either this or parameter',
    requiredWithout: 'parameter',
  },
  parameter: {
    value: 'text',
    summary:
      'the name or ARN of a parameter in Parameter Store, with :VERSION or :LABEL behind it for one of its versions',
  },
  'json-key': { value: 'text', summary: 'the member that is the token, where the secret or parameter holds JSON' },
  'version-stage': {
    value: 'text',
    summary: 'of a secret: the stage of the version to take, such as AWSPENDING (default: AWSCURRENT)',
  },
  'version-id': { value: 'text', summary: 'of a secret: the ID of the version to take' },
  ...awsOptions,
} as const satisfies OptionTable

/** The values of {@link secretOptions}. */
export type SecretOptions = Options<typeof secretOptions>

/** The facts about such a token that header templates may use. */
export const secretFacts = [...awsFacts, 'version'] as const
