// Declares a turn and its answers; `send-turn.ts` sends one, and `run-turn.ts` repeats it after a refusal.

import type { GatewayInference } from '../../config/document.ts'
import type { AuthScheme } from '../../contract/headers.ts'
import type { HelperError } from '../../runtime/failure.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'

/** A request for one message of the model, with the client's credential. */
export interface Turn {
  readonly inference: GatewayInference
  readonly credential: HeldCredential
  readonly authScheme: AuthScheme
  readonly text: string
  readonly startTimer: StartTimer
  /** Sends the request; Node's own `fetch` by default. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** The gateway's answer, or why there is none. */
export type TurnAnswer = GatewayAnswer | NoAnswer

/** Why a turn has no answer of the gateway, or only the beginning of one. */
export interface NoAnswer {
  /**
   * HTTP cannot transmit the token or a header, the gateway is unreachable, the stream had only pings for too long, the stream ended with
   * an error, or the answer is too long or endless.
   */
  readonly reason: 'unsendable' | 'unreachable' | 'idle' | 'broken' | 'endless'
  /** The error code of the system or the library, such as `ENOTFOUND`. */
  readonly code?: string
  /** The failure that our own network code reported. */
  readonly error?: HelperError
}

/** The message for each reason. */
export const noAnswerMessages: Readonly<Record<NoAnswer['reason'], string>> = {
  unreachable: 'the gateway cannot be reached',
  unsendable: 'the token or a header holds characters that HTTP cannot carry',
  idle: 'the stream carried only pings for too long',
  endless: 'the answer does not end',
  broken: 'the gateway reported an error in the middle of its answer',
}

/** The answer of the gateway, whatever its status. */
export interface GatewayAnswer {
  readonly status: number
  /** The text of a message; the body of anything else. */
  readonly text: string
  /** Whether it is a message, whole or as a stream. */
  readonly isMessage: boolean
  readonly headers: Headers
}

/** Sends a turn, over HTTP or to a simulated gateway. */
export type SendTurn = (turn: Turn) => Promise<TurnAnswer>

/** Calls `onTimeout` once after `ms` of the client's time, unless the returned function is called first. */
export type StartTimer = (ms: number, onTimeout: () => void) => () => void

/** Calls `onTimeout` after milliseconds of real time; a simulation uses a timer of its virtual clock instead. */
export const startRealTimer: StartTimer = (ms, onTimeout) => {
  const timer = setTimeout(onTimeout, ms)
  return () => clearTimeout(timer)
}
