import type { Deadline } from '../runtime/deadline.ts'
import { HelperError } from '../runtime/failure.ts'
import type { CallOutcome } from './call-outcome.ts'

/** The failure of a destination that cannot accept anything at the moment, and asks for a pause. */
export class PauseAskedError extends HelperError {
  readonly pauseMs: number

  constructor(message: string, hint: string, pauseMs: number) {
    super('unavailable', message, hint)
    this.pauseMs = pauseMs
  }
}

/** The outcomes that are sent at once. */
export interface OutcomeBatch {
  /** The outcomes in the order in which the calls ended; empty if only the number of lost outcomes is new. */
  readonly outcomes: readonly CallOutcome[]
  /** The number of outcomes that were lost since the last batch: the spool was full, or a destination refused them. */
  readonly lost: number
  /** Attributes of the machine and of this program, such as `host.name` and `service.name`. */
  readonly resource: Readonly<Record<string, string>>
}

/** A destination of outcomes. Only the sending process loads one. */
export interface OutcomeDestination {
  /** A word for the names of its files, such as `otlp`. */
  readonly name: string
  /**
   * The parts in which a batch is sent, for a destination that takes events one after the other. If a part fails in the middle, all
   * of that part is sent again. Without this a batch is sent whole.
   */
  split?(batch: OutcomeBatch): readonly OutcomeBatch[]
  /**
   * Resolves when the destination has accepted the batch. The destination may be slow, dead or hostile, so every wait goes through
   * `within`.
   * @throws {HelperError} `refused` if it will never accept this batch, which is then dropped and counted as lost; any other failure if a
   * later attempt may succeed, such as {@link PauseAskedError}.
   */
  send(batch: OutcomeBatch, within: Deadline): Promise<void>
}
