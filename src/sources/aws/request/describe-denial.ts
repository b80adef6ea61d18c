import { parseDenial } from '../../../contract/aws-denial.ts'
import type { Permission } from '../../../helper/diagnosis.ts'
import type { AwsError } from './aws-error.ts'

/**
 * What to do about a request that AWS denied, with the statement to add. AWS's message says which policy it is about, and nothing
 * of it is repeated.
 */
export function describeDenial({ message }: Pick<AwsError, 'message'>, { action, resource }: Permission): string {
  const { deniedBy, limitedBy } = parseDenial(message) ?? {}
  if (deniedBy !== undefined)
    return `have an administrator change the ${deniedBy} that denies ${action}; a statement that allows it elsewhere does not count`
  const place = limitedBy === undefined ? 'the policies of this identity' : `the ${limitedBy}`
  const statement = JSON.stringify({ Effect: 'Allow', Action: action, Resource: resource })
  return `have an administrator add this statement to ${place}: ${statement}`
}
