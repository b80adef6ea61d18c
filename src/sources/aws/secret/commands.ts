import { selectPartition } from '../../../contract/aws-partitions.ts'
import { quoteWord } from '../credentials/hints.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import type { StoredSecret } from './stored-secret.ts'

/** A command of the AWS CLI, such as `ssm describe-parameters`, for the profile and the region of a plan. */
export function renderCommand(words: string, { region, source }: Pick<AwsPlan, 'region' | 'source'>): string {
  const profile = 'profile' in source && source.profile ? ` --profile ${quoteWord(source.profile)}` : ''
  return `aws ${words} --region ${region}${profile}`
}

/** The option of a command that names a secret or a parameter. */
export function renderIdOption({ api, id }: Pick<StoredSecret, 'api' | 'id'>): string {
  return api === 'ssm' ? `--name ${quoteWord(dropSelector(id))}` : `--secret-id ${quoteWord(id)}`
}

/** The ARN for the statement of a policy. A secret's ends in six characters that its name does not tell. */
export function toPolicyArn({ api, id }: Pick<StoredSecret, 'api' | 'id'>, region: string): string {
  if (id.startsWith('arn:')) return api === 'ssm' ? dropSelector(id) : id
  const prefix = `arn:${selectPartition(region).id}:${api}:${region}:*`
  return api === 'ssm' ? `${prefix}:parameter/${dropSelector(id).replace(/^\//, '')}` : `${prefix}:secret:${id}-??????`
}

/** The name or ARN of a parameter without `:VERSION` or `:LABEL`. */
function dropSelector(id: string): string {
  const parts = id.split(':')
  return parts.slice(0, id.startsWith('arn:') ? 6 : 1).join(':')
}
