import type { Fetch } from '../../runtime/network/fetch/network-fetch.ts'
import { TokenRefusal } from '../token-refusal.ts'
import type { Identity } from '../verdict.ts'
import type { StsCaller } from './answer/parse-answer.ts'
import { fetchCaller } from './fetch-caller.ts'
import { type CallerProof, parseProof } from './proof/parse-proof.ts'
import type { ProofTerms } from './proof/proof-check.ts'
import { toCallerClaims } from './to-caller-claims.ts'

/** What a proof of an AWS identity is verified by. */
export interface CallerContext extends ProofTerms {
  /** Follows no redirect, such as that of `createStreamFetch`. It gets one request, to a host of AWS STS. */
  readonly fetch: Fetch
}

/**
 * Verifies a proof of an AWS identity: everything that can be seen in it, and then AWS STS is asked whose it is. Every call asks;
 * the answer holds until the proof ends.
 * @throws {TokenRefusal} for the first check that fails, `aws-refused`, `aws-unavailable`.
 */
export async function verifyCallerIdentity(token: string, { fetch, ...terms }: CallerContext): Promise<Identity> {
  const proof = parseProof(token, terms)
  return toIdentity(proof, await fetchCaller(proof, fetch))
}

/** @throws {TokenRefusal} `aws-unavailable` for a caller of another partition than the host that answered. */
function toIdentity({ host, partition, signedAt, expiresAt, signature }: CallerProof, caller: StsCaller): Identity {
  const { arn } = caller
  const found = arn.split(':')[1]
  if (found !== partition)
    throw new TokenRefusal('aws-unavailable', {
      note: `${host} is of ${partition}, and answered with a caller of ${found}`,
    })
  return {
    kind: 'aws-identity',
    issuer: host,
    subject: arn,
    claims: toCallerClaims(caller, partition),
    issuedAt: signedAt,
    expiresAt,
    useKey: `aws ${signature}`,
  }
}
