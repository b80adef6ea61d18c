// Bounds the requests to each provider; `ask-provider.ts` sends one.

import { toHelperError } from '../../runtime/failure.ts'
import type { IntrospectionSettings } from '../policy/policy.ts'
import { TokenRefusal } from '../verdict.ts'
import { waitWithin } from '../wait-within.ts'
import {
  type AskedProvider,
  askProvider,
  ProviderStatusError,
  type QuestionParts,
  questionBounds,
} from './ask-provider.ts'
import type { ProviderAnswer } from './provider-answer.ts'

/** The bounds of requests to providers, and how long their answers are valid. Our decisions. */
export const introspectionBounds = {
  /** Concurrent requests of each {@link QuestionLane} to one provider; a token that would need one more is `overloaded`. */
  concurrent: 32,
  /** How long a refusal is cached: an inactive token rarely becomes active again. */
  refusedMs: 10_000,
  /** After a failure, the provider gets one request in this time; other tokens get the same failure as their answer. */
  pauseMs: 2_000,
} as const

/**
 * Requests about tokens that the provider has issued, or about texts that anybody can invent. Each lane has its own state: a failure that
 * an invented text causes must not stop real tokens, or let a revoked token pass.
 */
type QuestionLane = 'issued' | 'unknown'

interface LaneState {
  inFlight: number
  failure: { readonly at: number; readonly says: string } | undefined
}

/** How many requests to one provider had each outcome, for metrics. */
export interface ProviderState {
  readonly issuer: string
  readonly counts: Readonly<Record<QuestionOutcome, number>>
  readonly inFlight: number
  /** Why the last request had no good answer; removed by the next good answer. */
  readonly failure: string | undefined
}

/** The outcomes of requests about tokens. `passed`: the provider did not answer, and the policy lets the token pass. */
export const questionOutcomes = ['active', 'refused', 'unavailable', 'passed', 'overloaded'] as const

type QuestionOutcome = (typeof questionOutcomes)[number]

/** The parts that {@link Provider} needs. */
export interface LaneParts extends QuestionParts {
  /** Receives the first failure of a provider, and its first good answer after one. */
  readonly report?: (issuer: string, failure: string | undefined) => void
}

/** One provider: its pending requests, and whether it answers. */
export class Provider {
  readonly #issuer: string
  readonly #parts: LaneParts
  readonly #counts = Object.fromEntries(questionOutcomes.map((name) => [name, 0])) as Record<QuestionOutcome, number> // the same names
  readonly #lanes: Readonly<Record<QuestionLane, LaneState>> = {
    issued: { inFlight: 0, failure: undefined },
    unknown: { inFlight: 0, failure: undefined },
  }

  constructor(issuer: string, parts: LaneParts) {
    this.#issuer = issuer
    this.#parts = parts
  }

  /**
   * @returns `unknown` if the provider gives no good answer and the policy lets the token pass.
   * @throws {TokenRefusal} if the token is refused.
   */
  async ask(token: string, asked: AskedProvider, name: QuestionLane): Promise<ProviderAnswer | 'unknown'> {
    const { settings } = asked
    const lane = this.#lanes[name]
    if (this.#isPausing(lane)) return this.#toUnknown(settings, lane.failure?.says)
    if (lane.inFlight >= introspectionBounds.concurrent) {
      this.note('overloaded')
      throw new TokenRefusal('overloaded', { note: `too many tokens are being asked about at ${this.#issuer}` })
    }
    lane.inFlight += 1
    try {
      const limit = { sec: questionBounds.answerMs / 1000, reason: 'introspection-unavailable' } as const
      const answer = await waitWithin(limit, askProvider(token, asked, this.#parts))
      this.#setFailure(Object.values(this.#lanes), undefined)
      return answer
    } catch (thrown) {
      const says = describeFailure(thrown)
      if (!isAboutOneToken(thrown, name)) this.#setFailure([lane], says)
      return this.#toUnknown(settings, says)
    } finally {
      lane.inFlight -= 1
    }
  }

  note(outcome: QuestionOutcome): void {
    this.#counts[outcome] += 1
  }

  state(): ProviderState {
    const { issued, unknown } = this.#lanes
    const inFlight = issued.inFlight + unknown.inFlight
    return { issuer: this.#issuer, counts: { ...this.#counts }, inFlight, failure: this.#findFailure() }
  }

  #findFailure(): string | undefined {
    return (this.#lanes.issued.failure ?? this.#lanes.unknown.failure)?.says
  }

  /** Returns whether to send no request: after a failure, one request at a time tests whether the provider answers again. */
  #isPausing({ failure, inFlight }: LaneState): boolean {
    if (!failure) return false
    const elapsedMs = this.#parts.now() - failure.at
    return inFlight > 0 || (elapsedMs >= 0 && elapsedMs < introspectionBounds.pauseMs)
  }

  /** A failure applies to one lane; a good answer ends the failures of all lanes. */
  #setFailure(lanes: readonly LaneState[], says: string | undefined): void {
    const wasGood = this.#findFailure() === undefined
    for (const lane of lanes) lane.failure = says === undefined ? undefined : { at: this.#parts.now(), says }
    const failure = this.#findFailure()
    if ((failure === undefined) !== wasGood) this.#parts.report?.(this.#issuer, failure)
  }

  #toUnknown({ whileUnavailable }: IntrospectionSettings, note: string | undefined): 'unknown' {
    this.note(whileUnavailable === 'pass' ? 'passed' : 'unavailable')
    if (whileUnavailable === 'pass') return 'unknown'
    throw new TokenRefusal('introspection-unavailable', { note })
  }
}

function describeFailure(thrown: unknown): string {
  return thrown instanceof TokenRefusal ? (thrown.note ?? thrown.message) : toHelperError(thrown).message
}

/** Returns whether a failure concerns this token alone: a token that the provider cannot read must not stop the requests about others. */
function isAboutOneToken(thrown: unknown, lane: QuestionLane): boolean {
  return thrown instanceof ProviderStatusError && tokenStatuses[lane].includes(thrown.status)
}

/**
 * The statuses that concern one token: it can be too long for the provider, and an invented one can look like an attack to the firewall in
 * front of it.
 */
const tokenStatuses: Readonly<Record<QuestionLane, readonly number[]>> = {
  issued: [400, 413, 500],
  unknown: [400, 403, 406, 413, 422, 500],
}
