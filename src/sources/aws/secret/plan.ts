import type { Call, Plan } from '../../../helper/define-helper.ts'
import type { CommonOptions } from '../../../helper/options/table.ts'
import type { Host } from '../../../runtime/host.ts'
import { type AwsPlan, planAwsCredentials } from '../credentials/plan.ts'
import type { SecretOptions } from './options.ts'
import { parseSecretOptions } from './parse-secret-options.ts'
import { describeSecret, type StoredSecret } from './stored-secret.ts'

/** Which secret is read, and with whose credentials. */
export interface SecretPlan extends Plan {
  readonly stored: StoredSecret
  /** Its region is that of the secret's ARN, where an ARN is given. */
  readonly aws: AwsPlan
}

/** Finds the credentials that read the secret. @throws {HelperError} */
export async function planSecret(
  host: Host,
  options: SecretOptions & CommonOptions,
  { program }: Pick<Call, 'program'>,
): Promise<SecretPlan> {
  const stored = parseSecretOptions(options, program)
  const aws = await planAwsCredentials(host, { ...options, region: stored.region ?? options.region })
  return {
    stored,
    aws,
    inputs: aws.inputs,
    steps: [describeSecret(stored), ...aws.steps],
    isSignedOut: aws.isSignedOut,
    sourceKind: aws.sourceKind,
  }
}
