// Folder: requests to a token's provider whether the token is active (RFC 7662), if the policy requires them.

import { hash } from 'node:crypto'
import type { JwtTrust, Policy, PolicyRule } from '../policy/policy.ts'
import { type Identity, isStillValid, TokenRefusal } from '../verdict.ts'
import type { AskedProvider } from './ask-provider.ts'
import { computeProviderEnd, toOpaqueIdentity, validateProviderAnswer } from './provider-answer.ts'
import { introspectionBounds, type LaneParts, Provider, type ProviderState } from './provider-lanes.ts'

/** Asks the providers of tokens, and caches their answers. Nothing needs to be closed. */
export interface ProviderIntrospection {
  /** Whether the provider has recently confirmed that the token is active, so that no request is needed. */
  isKnownActive(question: ProviderQuestion): boolean
  /** @throws {TokenRefusal} unless the token is active, or the policy lets tokens pass while the provider does not answer. */
  requireActive(token: string, question: ProviderQuestion): Promise<void>
  /**
   * The owner of a token that is not a JWT, from the provider's answer.
   * @throws {TokenRefusal} unless the provider confirms the token.
   */
  identify(token: string, policy: Pick<Policy, 'jwt' | 'clockSkewSec'>): Promise<Identity>
  states(): readonly ProviderState[]
  /** The number of cached answers. */
  size(): number
}

/** The facts of a request whether one token is active, without the token. */
export interface ProviderQuestion extends AskedProvider {
  /** A digest of the token, the provider and the client. */
  readonly key: string
  readonly identity: Identity
}

/** Returns the question about a token that passes by a rule; `undefined` if the policy requires no request to its provider. */
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

/** Finds the issuer whose provider is asked about tokens that are not JWTs; `undefined` without one. */
export function findOpaqueTrust(
  jwt: readonly JwtTrust[],
): (JwtTrust & Required<Pick<JwtTrust, 'introspection'>>) | undefined {
  for (const trust of jwt)
    if (trust.introspection?.opaqueTokens === 'asked') return { ...trust, introspection: trust.introspection }
  return undefined
}

interface AskingParts extends LaneParts {
  /** How many active tokens are cached, and how many refusals besides them; the oldest are dropped first. */
  readonly entries: number
}

/** Creates an empty cache of the answers of providers, which asks them about other tokens. */
export function createProviderIntrospection(parts: AskingParts): ProviderIntrospection {
  const state = createState(parts)
  const { active, refused, providers } = state
  const pending = new Map<string, Promise<void>>()
  /** Calls with the same question wait for one answer. */
  const refuseInactiveOnce = (token: string, question: ProviderQuestion): Promise<void> => {
    const begun = pending.get(question.key)
    if (begun) return begun
    const work = refuseInactive(state, token, question).finally(() => pending.delete(question.key))
    pending.set(question.key, work)
    return work
  }
  return {
    isKnownActive: ({ key }) => active.find(key) === true,
    async requireActive(token, question) {
      if (active.find(question.key)) return
      refuseKnown(state, question.key)
      await refuseInactiveOnce(token, question)
    },
    async identify(token, { jwt, clockSkewSec }) {
      const trust = findOpaqueTrust(jwt)
      if (!trust) throw new TokenRefusal('unknown-kind')
      const key = digestQuestion(token, trust)
      refuseKnown(state, key)
      return fetchIdentity(state, token, key, { trust, settings: trust.introspection, clockSkewSec })
    },
    states: () => [...providers.values()].map((provider) => provider.state()),
    size: () => active.size + refused.size,
  }
}

/** The answers about tokens that are remembered, and the providers that are asked about the others. */
interface IntrospectionState {
  readonly now: () => number
  readonly active: ProviderMemory<true>
  /** A cache of its own, so that refusals displace no active token. */
  readonly refused: ProviderMemory<TokenRefusal>
  /** Tokens that are not JWTs and that their provider has once confirmed, until they expire: nobody has invented them. */
  readonly seen: ProviderMemory<true>
  readonly providers: ReadonlyMap<string, Provider>
  ensureProvider(trust: JwtTrust): Provider
}

function createState(parts: AskingParts): IntrospectionState {
  const { now, entries } = parts
  const providers = new Map<string, Provider>()
  return {
    now,
    active: new ProviderMemory(now, entries),
    refused: new ProviderMemory(now, entries),
    seen: new ProviderMemory(now, entries),
    providers,
    ensureProvider({ issuer }) {
      const provider = providers.get(issuer) ?? new Provider(issuer, parts)
      providers.set(issuer, provider)
      return provider
    },
  }
}

/** Asks the provider about the token of an issuer, and remembers the answer. */
async function refuseInactive(state: IntrospectionState, token: string, question: ProviderQuestion): Promise<void> {
  const { now, active, refused } = state
  const provider = state.ensureProvider(question.trust)
  const answer = await provider.ask(token, question, 'issued')
  if (answer === 'unknown') return
  const { key, settings } = question
  const refusal = validateProviderAnswer(answer, { ...question, now: now() })
  provider.note(refusal ? 'refused' : 'active')
  if (refusal) {
    refused.add(key, refusal, now() + introspectionBounds.refusedMs)
    throw refusal
  }
  active.add(key, true, Math.min(now() + settings.cacheSec * 1000, computeProviderEnd(answer, question)))
}

/** @throws {TokenRefusal} for a token that was refused a moment ago. */
function refuseKnown({ refused }: IntrospectionState, key: string): void {
  const refusal = refused.find(key)
  if (refusal) throw refusal
}

/** Asks the provider whose token it is, and remembers that it has been seen, or refused. */
async function fetchIdentity(
  state: IntrospectionState,
  token: string,
  key: string,
  facts: AskedProvider,
): Promise<Identity> {
  const { now, refused, seen } = state
  const provider = state.ensureProvider(facts.trust)
  // The owner of the token is unknown without an answer, so the token is refused.
  const settings = { ...facts.settings, whileUnavailable: 'refuse' } as const
  const answer = await provider.ask(token, { ...facts, settings }, seen.find(key) ? 'issued' : 'unknown')
  let identity: Identity
  try {
    identity = toOpaqueIdentity(answer, { ...facts, token, now: now() })
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    provider.note('refused')
    refused.add(key, thrown, now() + introspectionBounds.refusedMs)
    throw thrown
  }
  seen.add(key, true, identity.expiresAt)
  provider.note('active')
  return identity
}

/** Cached facts about tokens, bounded in time and number. */
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
    if (isStillValid(entry.until, entry.since, now)) return entry.value
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
