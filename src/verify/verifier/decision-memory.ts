import { hash } from 'node:crypto'
import { parseObject } from '../../runtime/values/json-value.ts'
import { rejectAwsKey } from '../aws/reject-aws-key.ts'
import { findOpaqueTrust, type ProviderQuestion, toProviderQuestion } from '../introspection/provider-introspection.ts'
import type { Policy } from '../policy/policy.ts'
import { listUnmetFacts, type RequestFacts } from '../policy/request-condition.ts'
import type { CallerLimit } from '../request-limits.ts'
import { type Identity, TokenRefusal, toRefusedVerdict, type Verdict } from '../verdict.ts'
import { waitWithin } from '../wait-within.ts'
import type { AppliedRule, ReadRequest, TokenChecks, VerifierLimits, VerifierState } from './verifier.ts'

interface MemoryParts {
  readonly policy: () => Policy
  /** Another value voids every decision, because a key is revoked by which a token was accepted. */
  readonly keysVersion: () => number | undefined
  readonly now: () => number
  readonly limits: VerifierLimits
}

/** Decisions by the digest of the token: one at a time for each token, and never one under an earlier policy. */
interface DecisionMemory {
  find(digest: string, readRequest: ReadRequest): Decision | undefined
  /**
   * Decides at once where nothing has to be waited for.
   * @throws {TokenRefusal} for a refusal that is not remembered, or whatever a check throws.
   */
  decide(token: string, digest: string, readRequest: ReadRequest): Decided | Promise<Decided>
  state(): VerifierState
}

interface Decided {
  readonly decision: Decision
  readonly source: 'cache' | 'verification'
}

/** Creates an empty memory. */
export function createDecisionMemory(
  { policy, keysVersion, now, limits }: MemoryParts,
  checks: TokenChecks,
): DecisionMemory {
  const startEra = () => new Era(policy(), now, limits)
  let [era, version] = [startEra(), keysVersion()]
  const decideNew = createDecide({ now, limits }, checks)
  /** A new policy forgets everything, pending decisions included: these still write into the maps of the old policy. */
  const currentEra = () => {
    const current = keysVersion()
    if (era.policy !== policy() || version !== current) era = startEra()
    version = current
    return era
  }
  return {
    find(digest, readRequest) {
      const known = currentEra().find(digest)
      return known && toDecisionFor(known, readRequest)
    },
    decide(token, digest, readRequest) {
      const current = currentEra()
      const known = current.find(digest)
      if (known) return { decision: toDecisionFor(known, readRequest), source: 'cache' }
      const part = { digest, bytes: token.length }
      const decided = current.joinPending(part, () => decideNew(token, current.policy))
      const finish = (found: TokenDecision): Decided => ({
        decision: toDecisionFor(found, readRequest),
        source: 'verification',
      })
      return decided instanceof Promise ? decided.then(finish) : finish(decided)
    },
    state: () => ({ cacheEntries: currentEra().size, inFlight: decideNew.inFlight() }),
  }
}

/** The decisions under one policy, finished and pending. */
class Era {
  readonly policy: Policy
  readonly #now: () => number
  readonly #accepted: DecisionCache
  /** Separate, so that refusals, which anybody can cause in any number, displace no accepted token. */
  readonly #refused: DecisionCache
  readonly #pending = new Map<string, Promise<TokenDecision>>()

  constructor(policy: Policy, now: () => number, limits: VerifierLimits) {
    this.policy = policy
    this.#now = now
    this.#accepted = new DecisionCache(limits)
    this.#refused = new DecisionCache(limits)
  }

  get size(): number {
    return this.#accepted.size + this.#refused.size
  }

  find(digest: string): TokenDecision | undefined {
    return this.#accepted.find(digest, this.#now()) ?? this.#refused.find(digest, this.#now())
  }

  /** Waits for the pending decision about the same token, or makes one, which is pending if it has to wait. */
  joinPending(
    { digest, bytes }: { readonly digest: string; readonly bytes: number },
    decide: () => TokenDecision | Promise<TokenDecision>,
  ): TokenDecision | Promise<TokenDecision> {
    const begun = this.#pending.get(digest)
    if (begun) return begun
    const keep = (decision: TokenDecision) => {
      const memory = decision.verdict.outcome === 'accepted' ? this.#accepted : this.#refused
      memory.add(digest, decision, { now: this.#now(), bytes: bytes + countAnswerBytes(decision) })
      return decision
    }
    const decided = decide()
    if (!(decided instanceof Promise)) return keep(decided)
    const work = decided.then(keep).finally(() => this.#pending.delete(digest))
    this.#pending.set(digest, work)
    return work
  }
}

/** How long the claims are that a decision holds beside its token: a short token may have a long answer of its provider. */
function countAnswerBytes({ kind, verdict: { identity } }: Decision): number {
  return kind === 'opaque' && identity ? JSON.stringify(identity.claims).length : 0
}

interface DecideParts {
  readonly now: () => number
  readonly limits: VerifierLimits
}

/** Decides about one token, and counts the decisions that are pending. */
interface Decide {
  (token: string, policy: Policy): TokenDecision | Promise<TokenDecision>
  inFlight(): number
}

/** The reason of a refusal if a check takes too long. */
const lateReasons = {
  jwt: 'keys-unavailable',
  opaque: 'introspection-unavailable',
  'aws-identity': 'aws-unavailable',
} as const

/**
 * The kind of a token selects its check, and then the rules decide. The limits bound how many tokens of each kind are decided at a
 * time, so that no JWT waits for an AWS STS that does not answer.
 */
function createDecide({ now, limits }: DecideParts, { identify, applyRules }: TokenChecks): Decide {
  const inFlight = { jwt: 0, opaque: 0, 'aws-identity': 0 }

  const decide = (token: string, policy: Policy) => {
    const kind = detectKind(token, policy)
    // The key of an AWS service is for nobody else to see.
    const foreign = kind === undefined || kind === 'opaque' ? rejectAwsKey(token) : undefined
    if (!kind || foreign) throw foreign ?? new TokenRefusal('unknown-kind')
    if (inFlight[kind] >= limits.concurrent[kind]) throw new TokenRefusal('overloaded')
    const refuse = (thrown: unknown) => toRefusedDecision(thrown, { kind, until: now() + limits.refusalSec * 1000 })
    // A decision is remembered without the key of its use, which is as long as the token.
    const accept = ({ useKey = token, ...identity }: Identity) => {
      const until = computeEnd(identity, now(), { limits, policy })
      const settle = (request: RequestFacts | 'any') =>
        toDecision({ token, useKey, identity, until, policy }, () => applyRules(identity, policy, request))
      return toTokenDecision(settle, policy)
    }
    const wait = async (identified: Promise<Identity>) => {
      inFlight[kind] += 1
      try {
        return accept(await waitWithin({ sec: limits.verificationSec, reason: lateReasons[kind] }, identified))
      } catch (thrown) {
        return refuse(thrown)
      } finally {
        inFlight[kind] -= 1
      }
    }
    try {
      const identified = identify[kind](token, policy)
      return identified instanceof Promise ? wait(identified) : accept(identified)
    } catch (thrown) {
      return refuse(thrown)
    }
  }
  return Object.assign(decide, { inFlight: () => inFlight.jwt + inFlight.opaque + inFlight['aws-identity'] })
}

/** The issuer of a JWT may revoke its key meanwhile, and the provider of an opaque token the token. */
function computeEnd(
  { kind, expiresAt }: Identity,
  now: number,
  { limits, policy }: { readonly limits: VerifierLimits; readonly policy: Policy },
): number {
  if (kind === 'aws-identity') return expiresAt
  const askedSec = kind === 'opaque' ? (findOpaqueTrust(policy.jwt)?.introspection.cacheSec ?? 0) : Infinity
  return Math.min(expiresAt, now + Math.min(limits.cacheSec, askedSec) * 1000)
}

interface IdentifiedToken {
  readonly token: string
  readonly useKey: string
  readonly identity: Identity
  readonly until: number
  readonly policy: Policy
}

function toDecision(
  { token, useKey, identity, until, policy }: IdentifiedToken,
  applyRules: () => AppliedRule,
): Decision {
  const { kind } = identity
  try {
    const { rule, headers } = applyRules()
    const verdict = { outcome: 'accepted', identity, rule: rule.name, headers } as const
    const question = toProviderQuestion(token, identity, policy, rule)
    const [use, limit] = [toUse(useKey, identity, rule), toLimit(identity, rule, policy)]
    if (!use && !limit && !question) return { verdict, kind, until } // most tokens, and putting together what is absent takes time
    return { verdict, kind, until, ...(use && { use }), ...(limit && { limit }), ...(question && { question }) }
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal && thrown.reason === 'no-rule')) throw thrown
    return { verdict: { outcome: 'refused', refusal: thrown, identity }, kind, until } // a function of the identity and the policy
  }
}

/**
 * Decisions about one token, whose rules are applied again to each request where a rule asks for one: the token is verified once,
 * whatever its owner sends it with.
 */
function toTokenDecision(settle: (request: RequestFacts | 'any') => Decision, { rules }: Policy): TokenDecision {
  const decision = settle('any')
  if (decision.verdict.outcome === 'refused' || rules.every(({ request }) => request === undefined)) return decision
  const known = new Map<string, Decision>()
  const decideFor = (request: RequestFacts) => {
    const held = listHeldRules(rules, request)
    const earlier = known.get(held)
    if (earlier) return earlier
    const decided = settle(request)
    if (decided.verdict.outcome === 'refused') return decided // it says what this very request lacks
    if (known.size >= maxKnown) known.clear()
    known.set(held, decided)
    return decided
  }
  return { ...decision, decideFor }
}

/** For one token: how many decisions that differ by the request are remembered, because their headers take memory. */
const maxKnown = 4

/** The rules whose condition this request meets: the same rule lets a token pass with every request that meets the same conditions. */
function listHeldRules(rules: Policy['rules'], facts: RequestFacts): string {
  return rules
    .flatMap(({ request }, index) => (request && listUnmetFacts(request, facts).length === 0 ? [index] : []))
    .join()
}

/** Fails closed, because whoever looks into the memory expects no error. */
function toDecisionFor(decision: TokenDecision, readRequest: ReadRequest): Decision {
  if (!decision.decideFor) return decision
  try {
    return decision.decideFor(readRequest())
  } catch (thrown) {
    return { verdict: toRefusedVerdict(thrown), kind: decision.kind, until: 0 }
  }
}

function toUse(key: string, { expiresAt }: Identity, { use }: AppliedRule['rule']): Decision['use'] {
  return use === 'many times' ? undefined : { digest: hash('sha256', key), until: expiresAt }
}

/** A rule with a rate of its own has a bucket of its own for each caller. */
function toLimit(
  { issuer, subject }: Identity,
  { name, limit }: AppliedRule['rule'],
  { limits }: Policy,
): CallerLimit | undefined {
  const rate = limit ?? limits?.callers
  return rate && { key: hash('sha256', JSON.stringify([issuer, subject, limit && name]), 'base64url'), rate }
}

/** The only refusal by a check that is remembered: it costs a request, and AWS STS gives the same answer again. */
function toRefusedDecision(thrown: unknown, decided: Pick<Decision, 'kind' | 'until'>): Decision {
  if (!(thrown instanceof TokenRefusal && thrown.reason === 'aws-refused')) throw thrown
  return { verdict: { outcome: 'refused', refusal: thrown }, ...decided }
}

/** If the clock is set back by more than this, in milliseconds, earlier decisions no longer count. */
const longestStepMs = 2_000

interface KeptDecision {
  readonly decision: TokenDecision
  /** The time of the decision, in epoch milliseconds. */
  readonly since: number
  /** The size of the token, whose claims the decision holds, or of what its provider says of it. */
  readonly bytes: number
  /** Whether it was found since it was added, or was last spared. */
  isUsed: boolean
}

/** Decisions by the digest of the token, within bounds of number and size. */
class DecisionCache {
  readonly #limits: Pick<VerifierLimits, 'cacheEntries' | 'cacheBytes'>
  /** In the order in which they were added or spared, because a `Map` keeps the order in which keys are set. */
  readonly #entries = new Map<string, KeptDecision>()
  #bytes = 0

  constructor(limits: Pick<VerifierLimits, 'cacheEntries' | 'cacheBytes'>) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  /**
   * A decision from the future is ignored: after the clock was set back, it would hold for longer than intended.
   * @param now Epoch milliseconds.
   */
  find(digest: string, now: number): TokenDecision | undefined {
    const entry = this.#entries.get(digest)
    if (!entry) return undefined
    if (entry.decision.until <= now || entry.since - now > longestStepMs) {
      this.#delete(digest, entry)
      return undefined
    }
    entry.isUsed = true
    return entry.decision
  }

  /**
   * Adds a decision. Where it does not fit, the oldest one goes that was not used, and each that was used is spared once: to keep the order of the
   * last use would take longer with each request that is found than all else in here.
   * @param now Epoch milliseconds.
   */
  add(digest: string, decision: TokenDecision, { now, bytes }: { readonly now: number; readonly bytes: number }): void {
    if (decision.until <= now) return
    const earlier = this.#entries.get(digest)
    if (earlier) this.#delete(digest, earlier)
    this.#set(digest, { decision, since: now, bytes, isUsed: false })
    const { cacheEntries, cacheBytes } = this.#limits
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= cacheEntries && this.#bytes <= cacheBytes) return
      this.#delete(oldest, entry)
      const isSpared = oldest === digest ? this.#entries.size > 0 : entry.isUsed
      if (isSpared) this.#set(oldest, { ...entry, isUsed: false })
    }
  }

  #set(digest: string, entry: KeptDecision): void {
    this.#entries.set(digest, entry)
    this.#bytes += entry.bytes
  }

  #delete(digest: string, { bytes }: KeptDecision): void {
    this.#entries.delete(digest)
    this.#bytes -= bytes
  }
}

/** The result of verifying a token, except whether it was used before. */
export interface Decision {
  readonly verdict: Verdict
  readonly kind: Identity['kind'] | undefined
  /** Epoch milliseconds until which it holds; 0 if it may change at once. */
  readonly until: number
  /** For single-use tokens: the key under which the use is recorded. */
  readonly use?: { readonly digest: string; readonly until: number }
  /** Set where the provider has to say that the token is active. */
  readonly question?: ProviderQuestion
  /** Set where the policy bounds how often the owner passes. */
  readonly limit?: CallerLimit
}

/** The decision about a token with whatever request; where the rules ask for a request, one about this request takes its place. */
interface TokenDecision extends Decision {
  readonly decideFor?: (request: RequestFacts) => Decision
}

/** Detects the kind of a token by its form, whether it is good or not; `undefined` for any other form; pure. */
export function detectKind(token: string, { aws, jwt }: Pick<Policy, 'aws' | 'jwt'>): Identity['kind'] | undefined {
  if (aws && aws.prefix !== '' && token.startsWith(aws.prefix)) return 'aws-identity'
  if (proofStarts.some((start) => token.startsWith(start))) return 'aws-identity'
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return 'jwt'
  // The characters of RFC 6750, section 2.1.
  if (!findOpaqueTrust(jwt) || !/^[\w.~+/-]+=*$/.test(token)) return undefined
  return hasJwtHeader(token) ? 'jwt' : 'opaque'
}

/** The beginning of a URL, plain, in base64, and as Kubernetes has it, and of a login of Vault in base64: `{"iam_`. */
const proofStarts = ['https://', 'aHR0cHM6Ly', 'k8s-aws-v1.', 'eyJpYW1f']

/**
 * Whether a token begins like a JWT, signed or encrypted (RFC 7519, section 7.2), in whatever form: its provider may read one with padding or
 * other characters all the same, and the checks of a JWT would then be gone.
 */
function hasJwtHeader(token: string): boolean {
  const [head = '', ...others] = token.split('.', 2)
  return others.length > 0 && parseObject(Buffer.from(head, 'base64').toString()) !== undefined
}
