import type { Fetch } from '../../runtime/network/fetch/network-fetch.ts'
import { verifyCallerIdentity } from '../aws/verify-caller-identity.ts'
import type { KeyFinder } from '../jwt/keys/key-finder.ts'
import { verifyJwt } from '../jwt/verify-jwt.ts'
import { applyPolicy } from '../policy/apply-policy.ts'
import { TokenRefusal } from '../token-refusal.ts'
import { createTokenVerifier } from './create-token-verifier.ts'
import type { Verifier } from './verifier.ts'
import type { VerifierParts } from './verifier-parts.ts'

/** What {@link createVerifier} is given. */
export interface VerifierSettings extends VerifierParts {
  /** The keys of issuers, such as `createIssuerKeys` gives them. */
  readonly keys: KeyFinder
  /** Sends requests to AWS STS; it follows no redirect. */
  readonly fetch: Fetch
}

/** A verifier of JWTs and of proofs of an AWS identity, by the policy in force. */
export function createVerifier({ keys, fetch, ...parts }: VerifierSettings): Verifier {
  const { now } = parts
  return createTokenVerifier(parts, {
    identify: {
      async jwt(token, { jwt: trusts, clockSkewSec }) {
        if (trusts.length === 0) throw new TokenRefusal('unknown-kind', { note: 'the policy accepts no JWTs' })
        return verifyJwt(token, { trusts, keys, now: now(), clockSkewSec })
      },
      async 'aws-identity'(token, { aws: trust, clockSkewSec }) {
        if (!trust) throw new TokenRefusal('unknown-kind', { note: 'the policy accepts no AWS identities' })
        return verifyCallerIdentity(token, { trust, now: now(), clockSkewSec, fetch })
      },
    },
    applyRules: applyPolicy,
  })
}
