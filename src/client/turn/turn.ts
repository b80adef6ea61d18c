import type { AuthScheme } from '../../config/document.ts'
import type { HelperError } from '../../runtime/failure.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { GatewayInference } from './gateway-inference.ts'

/** Calls back once after `ms` of the client's time, unless what it returns is called first. */
export type StartTimer = (ms: number, ring: () => void) => () => void

export interface Turn {
  readonly inference: GatewayInference
  readonly credential: HeldCredential
  readonly authScheme: AuthScheme
  readonly text: string
  readonly startTimer: StartTimer
  /** That of the runtime, unless given. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** What the gateway answered, or why there is no answer. */
export type TurnAnswer = GatewayAnswer | GatewaySilence

export interface GatewaySilence {
  /**
   * HTTP cannot carry the token or a header, nobody is there, the stream carried only pings for too long, or it ended
   * with an error.
   */
  readonly silence: 'unsendable' | 'unreachable' | 'idle' | 'broken'
  /** The system's or the library's word for it, such as `ENOTFOUND`. */
  readonly code?: string
  /** What our own network found wrong, in its words. */
  readonly trouble?: HelperError
}

export interface GatewayAnswer {
  readonly status: number
  /** Of a message its words; of anything else the body. */
  readonly text: string
  readonly headers: Headers
}

/** How a client sends a turn. */
export type SendTurn = (turn: Turn) => Promise<TurnAnswer>
