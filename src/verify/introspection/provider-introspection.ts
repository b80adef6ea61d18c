// Folder: asking the provider of a token whether it is active (RFC 7662), where the policy says so.

import { hash } from 'node:crypto'
import { toHelperError } from '../../runtime/failure.ts'
import type { IntrospectionSettings, JwtTrust, Policy, PolicyRule } from '../policy/policy.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'
import { waitWithin } from '../wait-within.ts'
import {
  type AskedProvider,
  askProvider,
  ProviderStatusError,
  type QuestionParts,
  questionBounds,
} from './ask-provider.ts'
import { computeProviderEnd, type ProviderAnswer, toOpaqueIdentity, validateProviderAnswer } from './provider-answer.ts'

/** Bounds on questions, and on how long answers count. Our decisions. */
export const introspectionBounds = {
  /** Questions to one provider at the same time; a token that would need one more is `overloaded`. */
  concurrent: 32,
  /** How long a refusal counts: an inactive token hardly becomes active. */
  refusedMs: 10_000,
  /** After a failure the provider is asked once in this time, and the failure is the answer to other tokens meanwhile. */
  pauseMs: 2_000,
} as const

/** Asks the providers of tokens, and remembers what they say. Nothing has to be closed. */
export interface ProviderIntrospection {
  /** Whether the provider has just said that the token is active, so that it need not be asked. */
  isKnownActive(question: ProviderQuestion): boolean
  /** @throws {TokenRefusal} unless the token is active, or the policy lets tokens pass while the provider does not answer. */
  requireActive(token: string, question: ProviderQuestion): Promise<void>
  /** The owner of a token that is not a JWT, by what the provider says of it. @throws {TokenRefusal} unless the provider says that it is good. */
  identify(token: string, policy: Pick<Policy, 'jwt' | 'clockSkewSec'>): Promise<Identity>
  states(): readonly ProviderState[]
  /** How many answers are remembered. */
  size(): number
}

/** The question whether one token is active. It holds no token. */
export interface ProviderQuestion extends AskedProvider {
  /** A digest of the token and of who is asked. */
  readonly key: string
  readonly identity: Identity
}

/** The question about a token that passes by a rule; `undefined` if the policy does not have its provider asked. */
export function toProviderQuestion(
  token: string,
  identity: Identity,
  { jwt, clockSkewSec }: Pick<Policy, 'jwt' | 'clockSkewSec'>,
  rule: Pick<PolicyRule, 'introspection'>,
): ProviderQuestion | undefined {
  if (rule.introspection === 'skipped') return undefined
  const trust = identity.kind === 'jwt' ? jwt.find(({ issuer }) => issuer === identity.issuer) : undefined
  if (!trust?.introspection) return undefined
  const { introspection: settings } = trust
  return { key: digestQuestion(token, trust), identity, trust, settings, clockSkewSec }
}

function digestQuestion(token: string, { issuer, audiences, introspection }: JwtTrust): string {
  return hash('sha256', JSON.stringify([token, issuer, audiences, introspection]), 'base64url')
}

/** The issuer whose provider is asked about tokens that are not JWTs; `undefined` if none is. */
export function findOpaqueTrust(
  jwt: readonly JwtTrust[],
): (JwtTrust & Required<Pick<JwtTrust, 'introspection'>>) | undefined {
  for (const trust of jwt)
    if (trust.introspection?.opaqueTokens === 'asked') return { ...trust, introspection: trust.introspection }
  return undefined
}

/** How many questions to one provider ended in which way, for metrics. */
interface ProviderState {
  readonly issuer: string
  readonly counts: Readonly<Record<QuestionOutcome, number>>
  readonly inFlight: number
  /** Why the last question had no good answer; removed by the next good one. */
  readonly failure: string | undefined
}

/** `passed`: the provider did not answer, and the policy lets the token pass. */
type QuestionOutcome = 'active' | 'refused' | 'unavailable' | 'passed' | 'overloaded'

/** The names of {@link QuestionOutcome}. */
export const questionOutcomes: readonly QuestionOutcome[] = ['active', 'refused', 'unavailable', 'passed', 'overloaded']

interface AskingParts extends QuestionParts {
  /** How many tokens that are active are remembered, and how many refusals beside them; the oldest are dropped first. */
  readonly entries: number
  /** Receives the first failure of a provider, and its first good answer after one. */
  readonly report?: (issuer: string, failure: string | undefined) => void
}

/** Creates an introspection that remembers nothing yet. */
export function createProviderIntrospection(parts: AskingParts): ProviderIntrospection {
  const { now, entries } = parts
  const active = new ProviderMemory<true>(now, entries)
  /** Separate, so that refusals displace no active token. */
  const refused = new ProviderMemory<TokenRefusal>(now, entries)
  const pending = new Map<string, Promise<void>>()
  const providers = new Map<string, Provider>()

  const toProvider = ({ issuer }: JwtTrust) => {
    const provider = providers.get(issuer) ?? new Provider(issuer, parts)
    providers.set(issuer, provider)
    return provider
  }
  const ask = async (token: string, question: ProviderQuestion) => {
    const answer = await toProvider(question.trust).ask(token, question)
    if (answer === 'unknown') return
    const { key, settings } = question
    const refusal = validateProviderAnswer(answer, { ...question, now: now() })
    toProvider(question.trust).count(refusal ? 'refused' : 'active')
    if (refusal) refused.add(key, refusal, now() + introspectionBounds.refusedMs)
    else active.add(key, true, Math.min(now() + settings.cacheSec * 1000, computeProviderEnd(answer, question)))
    if (refusal) throw refusal
  }
  const identify = async (token: string, key: string, facts: AskedProvider) => {
    const provider = toProvider(facts.trust)
    // Nobody knows whose the token is, so that it does not pass without an answer.
    const settings = { ...facts.settings, whileUnavailable: 'refuse' } as const
    const answer = await provider.ask(token, { ...facts, settings })
    try {
      const identity = toOpaqueIdentity(answer, { ...facts, token, now: now() })
      provider.count('active')
      return identity
    } catch (thrown) {
      if (!(thrown instanceof TokenRefusal)) throw thrown
      provider.count('refused')
      refused.add(key, thrown, now() + introspectionBounds.refusedMs)
      throw thrown
    }
  }
  const join = (token: string, question: ProviderQuestion) => {
    const begun = pending.get(question.key)
    if (begun) return begun
    const work = ask(token, question).finally(() => pending.delete(question.key))
    pending.set(question.key, work)
    return work
  }
  return {
    isKnownActive: ({ key }) => active.find(key) === true,
    async requireActive(token, question) {
      if (active.find(question.key)) return
      const refusal = refused.find(question.key)
      if (refusal) throw refusal
      await join(token, question)
    },
    async identify(token, { jwt, clockSkewSec }) {
      const trust = findOpaqueTrust(jwt)
      if (!trust) throw new TokenRefusal('unknown-kind')
      const key = digestQuestion(token, trust)
      const refusal = refused.find(key)
      if (refusal) throw refusal
      return identify(token, key, { trust, settings: trust.introspection, clockSkewSec })
    },
    states: () => [...providers.values()].map((provider) => provider.state()),
    size: () => active.size + refused.size,
  }
}

/** One provider: how many questions it has to answer, and whether it does. */
class Provider {
  readonly #issuer: string
  readonly #parts: AskingParts
  readonly #counts = Object.fromEntries(questionOutcomes.map((name) => [name, 0])) as Record<QuestionOutcome, number> // the same names
  #inFlight = 0
  #failure: { readonly at: number; readonly says: string } | undefined

  constructor(issuer: string, parts: AskingParts) {
    this.#issuer = issuer
    this.#parts = parts
  }

  /**
   * @returns `unknown` if the token passes although the provider gives no good answer.
   * @throws {TokenRefusal} if it does not.
   */
  async ask(token: string, asked: AskedProvider): Promise<ProviderAnswer | 'unknown'> {
    const { settings } = asked
    if (this.#isPausing()) return this.#toUnknown(settings, this.#failure?.says)
    if (this.#inFlight >= introspectionBounds.concurrent) {
      this.count('overloaded')
      throw new TokenRefusal('overloaded', { note: `too many tokens are being asked about at ${this.#issuer}` })
    }
    this.#inFlight += 1
    try {
      const limit = { sec: questionBounds.answerMs / 1000, reason: 'introspection-unavailable' } as const
      const answer = await waitWithin(limit, askProvider(token, asked, this.#parts))
      this.#setFailure(undefined)
      return answer
    } catch (thrown) {
      const says = describeFailure(thrown)
      if (!isAboutOneToken(thrown)) this.#setFailure(says)
      return this.#toUnknown(settings, says)
    } finally {
      this.#inFlight -= 1
    }
  }

  count(outcome: QuestionOutcome): void {
    this.#counts[outcome] += 1
  }

  state(): ProviderState {
    return { issuer: this.#issuer, counts: { ...this.#counts }, inFlight: this.#inFlight, failure: this.#failure?.says }
  }

  /** After a failure one question at a time finds out whether the provider answers again. */
  #isPausing(): boolean {
    if (!this.#failure) return false
    const elapsedMs = this.#parts.now() - this.#failure.at
    return this.#inFlight > 0 || (elapsedMs >= 0 && elapsedMs < introspectionBounds.pauseMs)
  }

  #setFailure(says: string | undefined): void {
    if ((says === undefined) !== (this.#failure === undefined)) this.#parts.report?.(this.#issuer, says)
    this.#failure = says === undefined ? undefined : { at: this.#parts.now(), says }
  }

  #toUnknown({ whileUnavailable }: IntrospectionSettings, note: string | undefined): 'unknown' {
    this.count(whileUnavailable === 'pass' ? 'passed' : 'unavailable')
    if (whileUnavailable === 'pass') return 'unknown'
    throw new TokenRefusal('introspection-unavailable', note === undefined ? {} : { note })
  }
}

function describeFailure(thrown: unknown): string {
  return thrown instanceof TokenRefusal ? (thrown.note ?? thrown.message) : toHelperError(thrown).message
}

/** Whether other tokens may have an answer all the same: whoever has a token that the provider cannot read must not stop those of others. */
function isAboutOneToken(thrown: unknown): boolean {
  return thrown instanceof ProviderStatusError && (thrown.status === 400 || thrown.status === 500)
}

/** If the clock is set back by more than this, in milliseconds, earlier answers no longer count. */
const longestStepMs = 2_000

/** What is remembered of tokens for some time, within a bound of number. */
class ProviderMemory<T> {
  readonly #now: () => number
  readonly #longest: number
  readonly #entries = new Map<string, { readonly value: T; readonly since: number; readonly until: number }>()

  constructor(now: () => number, longest: number) {
    this.#now = now
    this.#longest = longest
  }

  get size(): number {
    return this.#entries.size
  }

  find(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    const now = this.#now()
    if (entry.until > now && entry.since - now <= longestStepMs) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /** @param until Epoch milliseconds. */
  add(key: string, value: T, until: number): void {
    const since = this.#now()
    if (until <= since) return
    this.#entries.delete(key) // so that it becomes the newest
    this.#entries.set(key, { value, since, until })
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#longest) return
      this.#entries.delete(oldest)
    }
  }
}
