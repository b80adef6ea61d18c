import { HelperError } from '../../../runtime/failure.ts'
import type { SecretOptions } from './options.ts'
import type { StoredSecret } from './stored-secret.ts'

/** What each service takes as a name and as an ARN, whose first group is the region. AWS documentation of `GetSecretValue` and `GetParameter`. */
const forms = {
  secretsmanager: {
    option: 'secret',
    name: /^[\w/+=.@-]{1,512}$/,
    arn: /^arn:aws[a-z-]*:secretsmanager:([a-z0-9-]+):\d{12}:secret:[\w/+=.@-]{1,600}$/,
    example: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:ai/key-AbCdEf',
  },
  ssm: {
    option: 'parameter',
    name: /^[\w./-]{1,1011}(:[\w.-]{1,100})?$/,
    arn: /^arn:aws[a-z-]*:ssm:([a-z0-9-]+):\d{12}:parameter\/[\w./-]{1,1011}(:[\w.-]{1,100})?$/,
    example: 'arn:aws:ssm:eu-central-1:111122223333:parameter/ai/key',
  },
} as const

/**
 * What the options name.
 * @throws {HelperError} `usage` for options that contradict each other and for a text that is no name, or `not-configured` where
 * nothing is named.
 */
export function parseSecretOptions(options: SecretOptions, program: string): StoredSecret {
  const { secret, parameter, 'version-stage': versionStage, 'version-id': versionId } = options
  if (secret !== undefined && parameter !== undefined)
    throw new HelperError('usage', 'secret and parameter are both set', 'set one of the two')
  if (parameter !== undefined && (versionStage ?? versionId) !== undefined)
    throw new HelperError(
      'usage',
      'version-stage and version-id are for secrets, and parameter is set',
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
  const { option, name, arn, example } = forms[api]
  const region = arn.exec(id)?.[1]
  if (region !== undefined || (name.test(id) && !id.startsWith('arn:'))) return { api, id, region }
  const other = forms[api === 'ssm' ? 'secretsmanager' : 'ssm']
  const hint = other.arn.test(id)
    ? `set the option ${other.option} instead`
    : `write a name, or an ARN such as ${example}`
  throw new HelperError('usage', `${option} is neither the name nor the ARN of a ${option}`, hint)
}
