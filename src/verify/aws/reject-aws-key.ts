import { findKeyService, findLongTermService } from '../../contract/aws/keys.ts'
import { TokenRefusal } from '../verdict.ts'

/**
 * The refusal of a key for a service of AWS, short-term or long-term, which only that service can verify; `undefined` for any other
 * token. Its detail tells the caller so, because such a key is not a mistake: a gateway should forward it.
 */
export function rejectAwsKey(token: string): TokenRefusal | undefined {
  const service = findKeyService(token) ?? findLongTermService(token)
  return (
    service &&
    new TokenRefusal('unknown-kind', {
      detail: `it begins like a ${service.key}, which AWS alone can verify: a gateway forwards it unverified, to ${service.uses[0]?.label}.REGION`,
    })
  )
}
