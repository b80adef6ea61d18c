import { parsePrincipal } from '../../contract/aws/parse-principal.ts'
import type { Identity } from '../verdict.ts'
import type { StsCaller } from './parse-answer.ts'

/** The claims of an AWS identity that rules and headers name. `role` is the role's name without its path, which AWS STS leaves out. */
export function toCallerClaims({ arn, account, userId }: StsCaller, partition: string): Identity['claims'] {
  const { role, sessionName } = parsePrincipal(arn)
  return { arn, account, user_id: userId, partition, ...(role !== undefined && { role, session: sessionName }) }
}
