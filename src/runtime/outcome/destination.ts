import type { Deadline } from '../deadline.ts'
import { HelperError } from '../failure.ts'
import type { CallOutcome } from './call-outcome.ts'

/** A destination cannot take anything at the moment, and asks for a pause. */
export class PauseAskedError extends HelperError {
  readonly pauseMs: number

  constructor(message: string, hint: string, pauseMs: number) {
    super('unavailable', message, hint)
    this.pauseMs = pauseMs
  }
}

/** What is sent at once. */
export interface OutcomeBatch {
  /** In the order in which the calls ended; may be empty where only the number of lost ones is new. */
  readonly outcomes: readonly CallOutcome[]
  /** How many outcomes were lost since the last batch: the spool was full, or a destination did not take them. */
  readonly lost: number
  /** Attributes of the machine and of this program, such as `host.name` and `service.name`. */
  readonly resource: Readonly<Record<string, string>>
}

/** Where outcomes go. Only the sending process loads one. */
export interface OutcomeDestination {
  /** A word for the names of its files, such as `otlp`. */
  readonly name: string
  /**
   * The parts in which it is given a batch, for one that takes events one after the other: of a part that fails in the middle, what
   * it has taken is sent again. Without it a batch is sent whole.
   */
  split?(batch: OutcomeBatch): readonly OutcomeBatch[]
  /**
   * Ends when the destination has taken the batch. It may be slow, dead or hostile: whatever is waited for, waits through
   * `within`.
   * @throws {HelperError} `refused` where it will never take this batch, which is then dropped and counted as lost; any other
   * failure where a later try may succeed, such as {@link PauseAskedError}.
   */
  send(batch: OutcomeBatch, within: Deadline): Promise<void>
}
