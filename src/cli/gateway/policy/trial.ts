// Folder: `gatepass gateway policy`: checking, trying and testing a policy.

import type { RefusalReason } from '../../../contract/refusal-reasons.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import { parseObject, type RawObject } from '../../../runtime/values/json-value.ts'
import { toCallerClaims } from '../../../verify/aws/parse-sts-answer.ts'
import { type ProviderQuestion, toProviderQuestion } from '../../../verify/introspection/provider-introspection.ts'
import { requireRule } from '../../../verify/policy/match-rules.ts'
import type { Policy, PolicyRule } from '../../../verify/policy/policy.ts'
import { parseRequestFacts, type RequestFacts } from '../../../verify/policy/request-condition.ts'
import type { RequestRate } from '../../../verify/policy/request-rate.ts'
import { type Identity, TokenRefusal } from '../../../verify/verdict.ts'
import { requireToken } from '../../verify/require-token.ts'

/**
 * Parses a text as the identity that it would have after verification: claims as JSON, the AWS CLI's description of a caller, or a JWT.
 * @throws {HelperError} `usage` for anything else; the message repeats nothing of it.
 */
export function parseIdentity(text: string): Identity {
  const members = parseObject(text.trim())
  const identity = members && findIdentity(members)
  if (identity) return identity
  const claims = parseJwt(requireToken(text).token.reveal())?.claims
  if (claims) return fromClaims(claims)
  throw new HelperError(
    'usage',
    'the input is neither a JWT nor a JSON object with iss',
    'give the claims as JSON; for a proof of an AWS identity give what `aws sts get-caller-identity` prints',
  )
}

/** Finds the identity of these claims, or of the AWS CLI's description of a caller; `undefined` for anything else. */
export function findIdentity(members: RawObject): Identity | undefined {
  if (typeof members.iss === 'string') return fromClaims(members)
  return typeof members.Arn === 'string' ? fromCaller(members.Arn, members) : undefined
}

function fromClaims(claims: Readonly<Record<string, unknown>>): Identity {
  return {
    kind: 'jwt',
    issuer: String(claims.iss),
    subject: String(claims.sub),
    claims,
    issuedAt: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
  }
}

function fromCaller(arn: string, { Account: account, UserId: userId }: Readonly<Record<string, unknown>>): Identity {
  const partition = arn.split(':')[1] ?? ''
  return {
    kind: 'aws-identity',
    issuer: 'AWS STS',
    subject: arn,
    claims: toCallerClaims({ arn, account: String(account), userId: String(userId) }, partition),
    issuedAt: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
  }
}

/** The decision of the rules about a set of claims. */
export type TrialResult =
  | {
      readonly passes: true
      readonly rule: string
      readonly use: string
      /** The rate of its owner; absent without a limit. */
      readonly limit?: RequestRate
      /** Set if its provider must confirm that the token is active. */
      readonly introspection?: 'required'
      readonly headers: Readonly<Record<string, string>>
    }
  /** The reason for the caller, and the note for the verifier's log. */
  | {
      readonly passes: false
      readonly reason: string
      readonly detail?: string | undefined
      readonly note?: string | undefined
    }

/** The provider's answer in a case. */
export type SupposedAnswer = 'active' | 'inactive' | 'unavailable'

/**
 * Applies the policy to an unverified identity, and to a request as a gateway describes it.
 * @param supposed Used instead of a request to the provider.
 */
export function decideByRules(
  identity: Identity,
  policy: Policy,
  request: RequestFacts,
  supposed: SupposedAnswer = 'active',
): TrialResult {
  const problem = validateTrust(identity, policy)
  if (problem) return { passes: false, ...problem }
  try {
    const { rule, headers } = requireRule(identity, policy, parseRequestFacts(request))
    const question = toProviderQuestion('', identity, policy, rule)
    if (question) requireSupposed(supposed, question)
    return { passes: true, ...toRuleLimits(rule, policy, identity), headers }
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    return toRefusedTrial(thrown)
  }
}

/** Returns the limits of a rule: how often a token passes, the rate of its owner, and whether the provider is asked. */
export function toRuleLimits(rule: PolicyRule, policy: Policy, identity: Identity) {
  const { name, use, limit: rate = policy.limits?.callers } = rule
  const isAsked = toProviderQuestion('', identity, policy, rule) !== undefined
  return { rule: name, use, ...(rate && { limit: rate }), ...(isAsked && { introspection: 'required' as const }) }
}

/** @throws {TokenRefusal} as an introspection with this answer would. */
export function requireSupposed(supposed: SupposedAnswer, { settings }: Pick<ProviderQuestion, 'settings'>): void {
  if (supposed === 'active' || (supposed === 'unavailable' && settings.whileUnavailable === 'pass')) return
  throw new TokenRefusal(supposed === 'inactive' ? 'inactive' : 'introspection-unavailable')
}

export function toRefusedTrial({ reason, detail, note }: TokenRefusal): Extract<TrialResult, { passes: false }> {
  return { passes: false, reason, detail, note }
}

/** Validates the policy's requirements before the rules, as far as the claims show them. */
function validateTrust(
  { kind, issuer, claims }: Identity,
  { jwt, aws }: Policy,
): { readonly reason: RefusalReason; readonly detail: string } | undefined {
  if (kind === 'aws-identity') return validateAwsTrust(claims, aws)
  const trust = jwt.find((each) => each.issuer === issuer)
  if (!trust) return { reason: 'issuer', detail: 'the policy has no such issuer' }
  const audiences = [claims.aud].flat()
  if (claims.aud === undefined || trust.audiences.some((audience) => audiences.includes(audience))) return undefined
  return { reason: 'audience', detail: `its audience is not one of ${trust.audiences.join(', ')}` }
}

function validateAwsTrust({ partition }: Identity['claims'], aws: Policy['aws']): ReturnType<typeof validateTrust> {
  if (!aws) return { reason: 'unknown-kind', detail: 'the policy accepts no proof of an AWS identity' }
  if (aws.partitions.some((id) => id === partition)) return undefined
  return { reason: 'host', detail: `its partition is not one of ${aws.partitions.join(', ')}` }
}
