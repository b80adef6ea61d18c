// Decides about one token without the memory: its kind, the check of that kind, and the rules.

import { hash } from 'node:crypto'
import { findOpaqueTrust, type ProviderQuestion, toProviderQuestion } from '../introspection/provider-introspection.ts'
import type { Policy } from '../policy/policy.ts'
import { listUnmetFacts, type RequestFacts } from '../policy/request-condition.ts'
import type { CallerLimit } from '../request-limits.ts'
import { type Identity, TokenRefusal, type Verdict } from '../verdict.ts'
import { waitWithin } from '../wait-within.ts'
import { detectKind, rejectAwsKey } from './token-kind.ts'
import type { AppliedRule, TokenChecks, VerifierLimits } from './verifier.ts'

/**
 * Creates the decisions about single tokens: the kind of a token selects its check, then the rules are applied. The limits bound the
 * concurrent decisions of each kind, so that no JWT waits for an AWS STS that does not answer.
 */
export function createTokenDecisions(parts: DecisionParts, { identify, requireRule }: TokenChecks): TokenDecisions {
  const { now, limits } = parts
  const inFlight = { jwt: 0, opaque: 0, 'aws-identity': 0 }
  const accept = (identity: Identity, asked: TokenOfKind) =>
    decideByRules(toIdentified(identity, asked, parts), requireRule)
  const reject = (thrown: unknown, { kind }: TokenOfKind) =>
    toRefusedDecision(thrown, { kind, until: now() + limits.refusalSec * 1000 })
  const waitFor = async (identified: Promise<Identity>, asked: TokenOfKind) => {
    const { kind } = asked
    inFlight[kind] += 1
    try {
      return accept(await waitWithin({ sec: limits.verificationSec, reason: lateReasons[kind] }, identified), asked)
    } catch (thrown) {
      return reject(thrown, asked)
    } finally {
      inFlight[kind] -= 1
    }
  }
  return {
    decide(token, policy) {
      const kind = requireKind(token, policy)
      if (inFlight[kind] >= limits.concurrent[kind]) throw new TokenRefusal('overloaded')
      const asked = { token, kind, policy }
      try {
        const identified = identify[kind](token, policy)
        return identified instanceof Promise ? waitFor(identified, asked) : accept(identified, asked)
      } catch (thrown) {
        return reject(thrown, asked)
      }
    },
    inFlight: () => inFlight.jwt + inFlight.opaque + inFlight['aws-identity'],
  }
}

interface DecisionParts {
  readonly now: () => number
  readonly limits: VerifierLimits
}

/** Decides about tokens, and counts the decisions that are pending. */
interface TokenDecisions {
  /** @throws {TokenRefusal} for a refusal that is not cached, or whatever a check throws. */
  decide(token: string, policy: Policy): TokenDecision | Promise<TokenDecision>
  inFlight(): number
}

interface TokenOfKind {
  readonly token: string
  readonly kind: Identity['kind']
  readonly policy: Policy
}

/** The reason of a refusal by kind of token, if its check takes too long. */
const lateReasons = {
  jwt: 'keys-unavailable',
  opaque: 'introspection-unavailable',
  'aws-identity': 'aws-unavailable',
} as const

/** Caches the identity without the key of its use, which is as long as the token. */
function toIdentified(
  { useKey, ...identity }: Identity,
  { token, policy }: TokenOfKind,
  { now, limits }: DecisionParts,
): IdentifiedToken {
  return { token, useKey: useKey ?? token, identity, until: computeEnd(identity, now(), { limits, policy }), policy }
}

interface IdentifiedToken {
  readonly token: string
  readonly useKey: string
  readonly identity: Identity
  readonly until: number
  readonly policy: Policy
}

/**
 * Computes when the decision must be made again: the issuer of a JWT may revoke its key earlier, and the provider of an opaque token the
 * token.
 */
function computeEnd(
  { kind, expiresAt }: Identity,
  now: number,
  { limits, policy }: { readonly limits: VerifierLimits; readonly policy: Policy },
): number {
  if (kind === 'aws-identity') return expiresAt
  const askedSec = kind === 'opaque' ? (findOpaqueTrust(policy.jwt)?.introspection.cacheSec ?? 0) : Infinity
  return Math.min(expiresAt, now + Math.min(limits.cacheSec, askedSec) * 1000)
}

/**
 * Decides by the rules. If a rule has a condition on the request, the rules are applied to each request, but the token is verified once.
 */
function decideByRules(identified: IdentifiedToken, requireRule: TokenChecks['requireRule']): TokenDecision {
  const { rules } = identified.policy
  const decision = decideRequest(identified, 'any', requireRule)
  if (decision.verdict.outcome === 'refused' || rules.every(({ request }) => request === undefined)) return decision
  const known = new Map<string, Decision>()
  const decideFor = (request: RequestFacts) => {
    const held = renderHeldRules(rules, request)
    const earlier = known.get(held)
    if (earlier) return earlier
    const decided = decideRequest(identified, request, requireRule)
    if (decided.verdict.outcome === 'refused') return decided // not cached: its detail describes this request
    if (known.size >= maxKnown) known.clear()
    known.set(held, decided)
    return decided
  }
  return { ...decision, decideFor }
}

/** The most decisions that are cached for one token, one for each kind of request: their headers take memory. */
const maxKnown = 4

function decideRequest(
  { token, useKey, identity, until, policy }: IdentifiedToken,
  request: RequestFacts | 'any',
  requireRule: TokenChecks['requireRule'],
): Decision {
  const { kind } = identity
  try {
    const { rule, headers } = requireRule(identity, policy, request)
    const verdict = { outcome: 'accepted', identity, rule: rule.name, headers } as const
    const question = toProviderQuestion(token, identity, policy, rule)
    const [use, limit] = [toUse(useKey, identity, rule), toLimit(identity, rule, policy)]
    // Most tokens have none of the three, and spreading absent members takes time.
    if (!use && !limit && !question) return { verdict, kind, until }
    return { verdict, kind, until, ...(use && { use }), ...(limit && { limit }), ...(question && { question }) }
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal && thrown.reason === 'no-rule')) throw thrown
    // It is cached like an acceptance, because it depends only on the identity, the policy and the request.
    return { verdict: { outcome: 'refused', refusal: thrown, identity }, kind, until }
  }
}

function toUse(key: string, { expiresAt }: Identity, { use }: AppliedRule['rule']): Decision['use'] {
  return use === 'many times' ? undefined : { digest: hash('sha256', key), until: expiresAt }
}

/** Returns the bucket of a caller: a rule with a rate of its own has a separate bucket for each caller. */
function toLimit(
  { issuer, subject }: Identity,
  { name, limit }: AppliedRule['rule'],
  { limits }: Policy,
): CallerLimit | undefined {
  const rate = limit ?? limits?.callers
  return rate && { key: hash('sha256', JSON.stringify([issuer, subject, limit && name]), 'base64url'), rate }
}

/** Renders the rules whose condition this request meets, as a key: requests that meet the same conditions get the same decision. */
function renderHeldRules(rules: Policy['rules'], facts: RequestFacts): string {
  return rules
    .flatMap(({ request }, index) => (request && listUnmetFacts(request, facts).length === 0 ? [index] : []))
    .join()
}

/** A refusal by AWS STS is the only refusal by a check that is cached: it costs a request, and AWS STS would answer the same again. */
function toRefusedDecision(thrown: unknown, decided: Pick<Decision, 'kind' | 'until'>): Decision {
  if (!(thrown instanceof TokenRefusal && thrown.reason === 'aws-refused')) throw thrown
  return { verdict: { outcome: 'refused', refusal: thrown }, ...decided }
}

function requireKind(token: string, policy: Policy): Identity['kind'] {
  const kind = detectKind(token, policy)
  // The key of an AWS service has the form of an opaque token, and must not be sent to a provider.
  const foreign = kind === undefined || kind === 'opaque' ? rejectAwsKey(token) : undefined
  if (!kind || foreign) throw foreign ?? new TokenRefusal('unknown-kind')
  return kind
}

/** The result of verifying a token, before the gates of each request. */
export interface Decision {
  readonly verdict: Verdict
  readonly kind: Identity['kind'] | undefined
  /** When it expires, in epoch milliseconds; 0 if it may change at any time. */
  readonly until: number
  /** For single-use tokens: the key under which the use is recorded. */
  readonly use?: { readonly digest: string; readonly until: number }
  /** Set if the provider must confirm that the token is active. */
  readonly question?: ProviderQuestion
  /** Set if the policy limits the owner's rate. */
  readonly limit?: CallerLimit
}

/** The decision about a token for any request; if the rules have conditions on the request, a decision about this request replaces it. */
export interface TokenDecision extends Decision {
  readonly decideFor?: (request: RequestFacts) => Decision
}
