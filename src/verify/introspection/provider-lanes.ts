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

/** Bounds on questions, and on how long answers count. Our decisions. */
export const introspectionBounds = {
  /** Questions of each {@link QuestionLane} to one provider at the same time; a token that would need one more is `overloaded`. */
  concurrent: 32,
  /** How long a refusal counts: an inactive token hardly becomes active. */
  refusedMs: 10_000,
  /** After a failure the provider is asked once in this time, and the failure is the answer to other tokens meanwhile. */
  pauseMs: 2_000,
} as const

/**
 * The questions that wait for each other: those about tokens that somebody has issued, or those about texts that anybody can make up. A
 * failure of the second ones is none of the first ones, so that no stranger stops them, or lets a revoked token pass.
 */
type QuestionLane = 'issued' | 'unknown'

interface LaneState {
  inFlight: number
  failure: { readonly at: number; readonly says: string } | undefined
}

/** How many questions to one provider ended in which way, for metrics. */
export interface ProviderState {
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

/** The parts of {@link Provider}. */
export interface LaneParts extends QuestionParts {
  /** Receives the first failure of a provider, and its first good answer after one. */
  readonly report?: (issuer: string, failure: string | undefined) => void
}

/** One provider: how many questions it has to answer, and whether it does. */
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
   * @returns `unknown` if the token passes although the provider gives no good answer.
   * @throws {TokenRefusal} if it does not.
   */
  async ask(token: string, asked: AskedProvider, name: QuestionLane): Promise<ProviderAnswer | 'unknown'> {
    const { settings } = asked
    const lane = this.#lanes[name]
    if (this.#isPausing(lane)) return this.#toUnknown(settings, lane.failure?.says)
    if (lane.inFlight >= introspectionBounds.concurrent) {
      this.count('overloaded')
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

  count(outcome: QuestionOutcome): void {
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

  /** After a failure one question at a time finds out whether the provider answers again. */
  #isPausing({ failure, inFlight }: LaneState): boolean {
    if (!failure) return false
    const elapsedMs = this.#parts.now() - failure.at
    return inFlight > 0 || (elapsedMs >= 0 && elapsedMs < introspectionBounds.pauseMs)
  }

  /** A failure is that of one lane; a good answer shows all of them that the provider answers. */
  #setFailure(lanes: readonly LaneState[], says: string | undefined): void {
    const wasGood = this.#findFailure() === undefined
    for (const lane of lanes) lane.failure = says === undefined ? undefined : { at: this.#parts.now(), says }
    const failure = this.#findFailure()
    if ((failure === undefined) !== wasGood) this.#parts.report?.(this.#issuer, failure)
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
function isAboutOneToken(thrown: unknown, lane: QuestionLane): boolean {
  return thrown instanceof ProviderStatusError && tokenStatuses[lane].includes(thrown.status)
}

/** A token can be too long for a provider, and one that somebody has made up can look like an attack to the firewall before it. */
const tokenStatuses: Readonly<Record<QuestionLane, readonly number[]>> = {
  issued: [400, 413, 500],
  unknown: [400, 403, 406, 413, 422, 500],
}
