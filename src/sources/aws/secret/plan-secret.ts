import { selectPartition } from '../../../contract/aws/partitions.ts'
import type { Call, Plan } from '../../../helper/define-helper.ts'
import type { CommonOptions } from '../../../helper/options/every-helper-options.ts'
import type { Options, OptionTable } from '../../../helper/options/option-table.ts'
import { HelperError, isMisuse, type Problem, validateReading } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { awsFacts, awsOptions } from '../credentials/aws-options.ts'
import type { AwsPlan } from '../credentials/credential-source.ts'
import { planAwsCredentials, validateAwsOptions } from '../credentials/plan-credentials.ts'
import { createAwsDiagnosis } from '../helper-declaration.ts'

/** The secret to read, and the credentials for it. */
export interface SecretPlan extends Plan {
  readonly stored: StoredSecret
  /** The AWS identity. Its region is that of the secret's ARN, if an ARN is configured. */
  readonly aws: AwsPlan
}

/** Finds problems that the options have on every machine of this system. */
export function validateSecretOptions(
  options: SecretOptions,
  { program, platform }: Pick<Call, 'program'> & Pick<Host, 'platform'>,
): Problem[] {
  const named = validateReading(() => parseSecretOptions(options, program)).filter(isMisuse)
  return [...named, ...validateAwsOptions(options, platform)]
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

/** The report of `--explain` and `gatepass doctor` on a secret: the identity that reads it, and the permissions for that. */
export const secretDiagnosis = createAwsDiagnosis<SecretOptions, SecretPlan>({
  toAwsPlan: ({ aws }) => aws,

  permissions(_options, { stored, aws: { region } }) {
    const { api } = stored
    const { id, suffix } = selectPartition(region)
    return [
      {
        action: toReadAction(api),
        resource: toPolicyArn(stored, region),
      },
      // The secret's own KMS key is not known here, so the condition limits the statement to keys that this service uses.
      {
        action: 'kms:Decrypt',
        resource: `arn:${id}:kms:${region}:*:key/*`,
        condition: { StringEquals: { 'kms:ViaService': `${api}.${region}.${suffix}` } },
      },
    ]
  },
})

/** The options of a helper that prints a token that AWS keeps. */
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
    summary: 'with secret: the stage of the version to take, such as AWSPENDING (default: AWSCURRENT)',
  },
  'version-id': { value: 'text', summary: 'with secret: the ID of the version to take' },
  ...awsOptions,
} as const satisfies OptionTable

/** The values of {@link secretOptions}. */
export type SecretOptions = Options<typeof secretOptions>

/** The facts about such a token that header templates may use. */
export const secretFacts = [...awsFacts, 'version'] as const

/**
 * The operation that reads a secret of each service, and the names and ARNs that it accepts. The first group of an ARN is its region. AWS
 * documentation of these operations.
 */
export const secretServices = {
  secretsmanager: {
    operation: 'GetSecretValue',
    option: 'secret',
    name: /^[\w/+=.@-]{1,512}$/,
    arn: /^arn:aws[a-z-]*:secretsmanager:([a-z0-9-]+):\d{12}:secret:[\w/+=.@-]{1,600}$/,
    example: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:ai/key-AbCdEf',
  },
  ssm: {
    operation: 'GetParameter',
    option: 'parameter',
    name: /^[\w./-]{1,1011}(:[\w.-]{1,100})?$/,
    arn: /^arn:aws[a-z-]*:ssm:([a-z0-9-]+):\d{12}:parameter\/[\w./-]{1,1011}(:[\w.-]{1,100})?$/,
    example: 'arn:aws:ssm:eu-central-1:111122223333:parameter/ai/key',
  },
} as const

/**
 * Parses the secret or parameter in the options.
 * @throws {HelperError} `usage` for options that contradict each other and for a text that is not a name, or `not-configured` if none is
 * set.
 */
function parseSecretOptions(options: SecretOptions, program: string): StoredSecret {
  const { secret, parameter, 'version-stage': versionStage, 'version-id': versionId } = options
  if (secret !== undefined && parameter !== undefined)
    throw new HelperError('usage', 'secret and parameter are both set', 'set one of the two')
  if (parameter !== undefined && (versionStage ?? versionId) !== undefined)
    throw new HelperError(
      'usage',
      'version-stage and version-id do not go with parameter',
      'write the version or label behind the name of the parameter, as in /ai/key:3',
    )
  if (secret !== undefined) return { ...parseId('secretsmanager', secret), versionStage, versionId }
  if (parameter !== undefined) return { ...parseId('ssm', parameter), versionStage, versionId }
  throw new HelperError(
    'not-configured',
    'secret or parameter must be set',
    `set one of them by argument, variable or file; see: ${program} --help`,
  )
}

function parseId(api: StoredSecret['api'], id: string): Pick<StoredSecret, 'api' | 'id' | 'region'> {
  const { option, name, arn, example } = secretServices[api]
  const region = arn.exec(id)?.[1]
  if (region !== undefined || (name.test(id) && !id.startsWith('arn:'))) return { api, id, region }
  const other = secretServices[api === 'ssm' ? 'secretsmanager' : 'ssm']
  const hint = other.arn.test(id)
    ? `set the option ${other.option} instead`
    : `write a name, or an ARN such as ${example}`
  throw new HelperError('usage', `${option} is neither the name nor the ARN of a ${option}`, hint)
}

/** A secret or a parameter, as the options name it. */
export interface StoredSecret {
  readonly api: keyof typeof secretServices
  /** The name or ARN; for a parameter with its selector. */
  readonly id: string
  /** The region that an ARN names. */
  readonly region: string | undefined
  readonly versionStage: string | undefined
  readonly versionId: string | undefined
}

/** Describes a secret, such as `the secret "ai/key"`. */
export function describeSecret({ api, id }: Pick<StoredSecret, 'api' | 'id'>): string {
  return `the ${secretServices[api].option} "${id}"`
}

/** Names the permission to read a secret or a parameter. */
export function toReadAction(api: StoredSecret['api']): string {
  return `${api}:${secretServices[api].operation}`
}

/** Derives the ARN for a policy statement. The ARN of a secret ends in six characters that are not in its name. */
export function toPolicyArn({ api, id }: Pick<StoredSecret, 'api' | 'id'>, region: string): string {
  if (id.startsWith('arn:')) return api === 'ssm' ? dropSelector(id) : id
  const prefix = `arn:${selectPartition(region).id}:${api}:${region}:*`
  return api === 'ssm' ? `${prefix}:parameter/${dropSelector(id).replace(/^\//, '')}` : `${prefix}:secret:${id}-??????`
}

/** Removes `:VERSION` or `:LABEL` from the name or ARN of a parameter. */
export function dropSelector(id: string): string {
  const parts = id.split(':')
  return parts.slice(0, id.startsWith('arn:') ? 6 : 1).join(':')
}
