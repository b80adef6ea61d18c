import { parsePrincipal } from '../../contract/aws-identity/parse-principal.ts'
import type { Identity } from '../verdict.ts'
import type { StsCaller } from './answer/parse-answer.ts'

/** What rules and headers name of an AWS identity. Of a role the last part of its name alone: AWS STS leaves its path out. */
export function toCallerClaims({ arn, account, userId }: StsCaller, partition: string): Identity['claims'] {
  const { role, sessionName } = parsePrincipal(arn)
  return { arn, account, user_id: userId, partition, ...(role !== undefined && { role, session: sessionName }) }
}
