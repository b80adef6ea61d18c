import type { AwsError } from './aws-error.ts'

/** What a policy has to permit. */
interface Permission {
  readonly action: string
  /** An ARN, or `*`. */
  readonly resource: string
}

/** Kinds of policies that AWS's message names where one of them permits nothing. IAM documentation, "access denied error messages". */
const policyKinds =
  /because no (identity-based|resource-based|service control|resource control|session|VPC endpoint) polic/

/**
 * What to do about a request that AWS denied, with the statement to add. AWS's message says which policy it is about, and nothing
 * of it is repeated.
 */
export function describeDenial({ message }: Pick<AwsError, 'message'>, { action, resource }: Permission): string {
  if (/with an explicit deny/.test(message))
    return `have an administrator change the policy that denies ${action}; a statement that allows it elsewhere does not count`
  const kind = policyKinds.exec(message)?.[1]
  const place = kind === undefined || kind === 'identity-based' ? 'the policies of this identity' : `the ${kind} policy`
  const statement = JSON.stringify({ Effect: 'Allow', Action: action, Resource: resource })
  return `have an administrator add this statement to ${place}: ${statement}`
}
