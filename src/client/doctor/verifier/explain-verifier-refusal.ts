// Folder: the explanation of a verifier's refusal behind a gateway, reason by reason.

import { type RefusalReason, refusalReasons } from '../../../contract/refusal-reasons.ts'
import { programName } from '../../../version.ts'
import type { PartExplanation } from '../../examination.ts'
import { join, type RefusalCause, tokenCauses, type VerifierRefusalFacts } from './token-causes.ts'

/** Explains why a verifier refused a token, with the facts of this machine about the token; pure. */
export function explainVerifierRefusal(
  { reason, detail }: VerifierRefusal,
  facts: Omit<VerifierRefusalFacts, 'detail'>,
): PartExplanation {
  return { outcome: 'bad', ...causes[reason]({ ...facts, detail }) }
}

const newTokenHint =
  "sign in again, so that the next token is a new one; if that does not help, ask the gateway's operators why"

/** A cause for every reason: a new reason without one is a compile error. */
const causes: Readonly<Record<RefusalReason, (facts: VerifierRefusalFacts) => RefusalCause>> = {
  ...tokenCauses,
  host: () => ({
    cause: 'the proof is for a host of AWS STS that the gateway does not accept',
    hint: "have the helper make it for a region of the gateway's AWS partition: --region",
  }),
  'aws-refused': ({ detail }) => ({
    cause: join('AWS STS does not vouch for the proof that the token is', detail),
    hint: "compare the helper's option --audience, and --audience-header, with what the gateway's operators have set; otherwise sign in to AWS again",
  }),
  certificate: ({ detail }) => ({
    cause: join(refusalReasons.certificate.summary, detail),
    hint: "have the client connect with the certificate with which the token was obtained, or ask the gateway's operators whether they pass it on: --client-cert-header",
  }),
  'key-binding': ({ detail }) => ({
    cause: join('the token is bound to a key, and the request does not show that its sender has it', detail),
    hint: 'use a client that sends a proof with each request (DPoP), or have the identity provider issue bearer tokens for this one',
  }),
  proof: ({ detail }) => ({
    cause: join('the proof of possession (DPoP) is not valid for the request', detail),
    hint: "compare this machine's clock with the gateway's, and the address that the client uses with the one that the gateway passes on: --request-from",
  }),
  'proof-replayed': () => ({
    cause: 'the proof of possession (DPoP) was used before, and each one is accepted once',
    hint: 'have the client make a new proof for each request, also for one that it repeats',
  }),
  replayed: () => ({
    cause: 'the token was used before, and the gateway accepts each one once',
    hint: "ask the gateway's operators whether the policy may accept it more than once: a client sends a token with every request until its ttl has passed",
  }),
  inactive: () => ({
    cause:
      'the token is signed well, and its identity provider says that it is not active: it was revoked, or its owner signed out',
    hint: newTokenHint,
  }),
  revoked: () => ({
    cause: 'the token is good, and the gateway no longer accepts it: the token, its owner or its key is revoked',
    hint: newTokenHint,
  }),
  'no-rule': ({ detail, stated }) => ({
    cause: join('the token is good, and no rule of the gateway lets its owner pass', detail),
    hint: `ask the gateway's operators for a rule for ${describeOwner(stated)}; tell them the line above`,
  }),
  'too-many-requests': ({ detail }) => ({
    cause: join('the gateway lets no more requests through for now', detail),
    hint: "wait as long as Retry-After says; if it stays so, ask the gateway's operators for a higher limit",
  }),
  'no-tenant': () => ({
    cause: 'nothing is known to be wrong with the token: the gateway has no policy for the address that was asked',
    hint: "compare the address that the client uses with the one that the gateway's operators have given you",
  }),
  'not-entitled': ({ detail, stated }) => ({
    cause: join('the token is good, and the configuration server has nothing for its owner', detail),
    hint: `ask the owners of the configuration for a group for ${describeOwner(stated)}; tell them the line above`,
  }),
  'no-release': () => ({
    cause: 'nothing is known to be wrong with the token: the configuration server has no release that it may serve',
    hint: "try again; if it stays so, have the server's operators look at its log",
  }),
  'tenant-unavailable': () => ({
    cause:
      'nothing is known to be wrong with the token: the gateway cannot use the policy for the address that was asked',
    hint: "try again; if it stays so, have the gateway's operators look at the log of their verifier",
  }),
  'keys-unavailable': ({ stated }) => ({
    cause:
      `nothing is known to be wrong with the token: the gateway cannot fetch the keys of its issuer ${stated.issuer ?? ''}`.trimEnd(),
    hint: `try again; if it stays so, have the gateway's operators find out why their verifier cannot reach the issuer`,
  }),
  'aws-unavailable': () => ({
    cause: 'nothing is known to be wrong with the token: the gateway cannot ask AWS STS',
    hint: "try again; if it stays so, have the gateway's operators find out why their verifier cannot reach AWS STS",
  }),
  'replay-store-unavailable': () => ({
    cause: 'nothing is known to be wrong with the token: the gateway cannot determine whether it was used before',
    hint: "try again; if it stays so, have the gateway's operators look at the Redis or Valkey of their verifier",
  }),
  'revocations-unavailable': () => ({
    cause: 'nothing is known to be wrong with the token: the gateway cannot determine whether it is revoked',
    hint: "try again; if it stays so, have the gateway's operators look at the revocations of their verifier",
  }),
  'introspection-unavailable': () => ({
    cause:
      'nothing is known to be wrong with the token: the gateway cannot ask its identity provider whether it is active',
    hint: "try again; if it stays so, have the gateway's operators find out why their verifier gets no good answer from the provider",
  }),
  'audit-unavailable': () => ({
    cause:
      'nothing is known to be wrong with the token: the gateway cannot write the audit, without which nobody passes',
    hint: "try again; if it stays so, have the gateway's operators look at the audit of their verifier",
  }),
  'verifier-unavailable': () => ({
    cause: 'nothing is known to be wrong with the token: the gateway cannot ask its verifier',
    hint: `try again; if it stays so, have the gateway's operators look at the verifier: ${programName} gateway health HOST:PORT`,
  }),
  overloaded: () => ({
    cause: 'nothing is known to be wrong with the token: the verifier of the gateway has too much to do',
    hint: "try again later; if it stays so, have the gateway's operators run more verifiers",
  }),
  defect: () => ({
    cause: 'nothing is known to be wrong with the token: the verifier of the gateway has a defect',
    hint: "give the gateway's operators the request id, by which their log has more",
  }),
}

/** Describes the owner in the terms of a rule: issuer and claims, or the ARN of an AWS identity. */
function describeOwner({ kind, arn, issuer }: VerifierRefusalFacts['stated']): string {
  if (arn !== undefined) return arn
  if (kind === 'aws-identity') return 'the AWS identity above, by its account and role'
  return issuer === undefined ? 'this identity' : `this identity of ${issuer}`
}

/** The refusal of a verifier, as its gateway forwards it. The gateway writes the texts, so they may contain anything. */
export interface VerifierRefusal {
  readonly reason: RefusalReason
  /** The claim or the rule that explains the reason; only for a token with a valid signature. */
  readonly detail?: string
}
