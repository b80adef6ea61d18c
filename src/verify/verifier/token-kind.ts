import { proofForms } from '../../contract/aws/caller-identity.ts'
import { findKeyService, findLongTermService } from '../../contract/aws/keys.ts'
import { loginStart } from '../../runtime/tokens/proof-facts.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { urlStart } from '../aws/parse-proof.ts'
import { findOpaqueTrust } from '../introspection/provider-introspection.ts'
import type { Policy } from '../policy/policy.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'

/** Detects the kind of a token by its form, whether it is valid or not; `undefined` for any other form; pure. */
export function detectKind(token: string, { aws, jwt }: Pick<Policy, 'aws' | 'jwt'>): Identity['kind'] | undefined {
  if (aws && aws.prefix !== '' && token.startsWith(aws.prefix)) return 'aws-identity'
  if (proofStarts.some((start) => token.startsWith(start))) return 'aws-identity'
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return 'jwt'
  // The syntax of `b64token` (RFC 6750, section 2.1).
  if (!findOpaqueTrust(jwt) || !/^[\w.~+/-]+=*$/.test(token)) return undefined
  return hasJwtHeader(token) ? 'jwt' : 'opaque'
}

/** The beginnings of proofs: a URL, plain, in base64, and with the prefix of Kubernetes, and a Vault login. */
const proofStarts = ['https://', urlStart, proofForms.url.prefix, loginStart]

/**
 * Returns whether a token begins like a JWT, signed or encrypted (RFC 7519, section 7.2), even in a malformed spelling. Otherwise a
 * provider that accepts the spelling could confirm the token, and the checks of a JWT would be skipped.
 */
function hasJwtHeader(token: string): boolean {
  const [head = '', ...others] = token.split('.', 2)
  return others.length > 0 && parseObject(Buffer.from(head, 'base64').toString()) !== undefined
}

/**
 * Creates the refusal of a key for an AWS service, short-term or long-term, which only that service can verify; `undefined` for any other
 * token. Its detail tells the caller, because such a key is not a mistake: a gateway should forward it.
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
