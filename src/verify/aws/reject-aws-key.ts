import { findKeyService, findLongTermService } from '../../contract/aws-keys.ts'
import { TokenRefusal } from '../token-refusal.ts'

/**
 * The refusal of a key for a service of AWS, short-term or long-term, which nobody but that service can verify; `undefined` for
 * any other token. It says so, because whoever sends it has not sent a token of another kind by mistake: a gateway forwards it.
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
