import type { Fetch } from '../../../src/runtime/network/network-fetch.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { verifyJwt } from '../../../src/verify/jwt/verify-jwt.ts'
import type { JwtTrust } from '../../../src/verify/policy/policy.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'
import { now } from './issuer.ts'

/** Nothing is fetched for keys that stand in the policy, whatever a token names. */
const fetchNothing: Fetch = (url) => {
  throw new Error(`${url} was asked for`)
}

/** Creates a verifier of these issuers: it says `accepted`, or the reason of the refusal. Anything else that is thrown fails the test. */
export function createVerdict(trusts: readonly JwtTrust[], fetch = fetchNothing, at = now) {
  const keys = createIssuerKeys({ fetch, now: () => at })
  return async (token: string): Promise<string> => {
    try {
      await verifyJwt(token, { trusts, keys, now: at, clockSkewSec: 30 })
      return 'accepted'
    } catch (thrown) {
      if (thrown instanceof TokenRefusal) return thrown.reason
      throw thrown
    }
  }
}
