import type { ClientContext } from '../contract/context.ts'
import type { OutputWarning } from '../contract/output.ts'
import type { Survivors } from './launch.ts'
import type { RunReason } from './run-credential-helper.ts'

/** Why a turn got no answer. */
export type TurnFailure =
  | 'no-credential'
  | 'no-gateway'
  | 'unsendable'
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'gateway-error'
  | 'unsupported-kind'

/** Why the client runs the helper now. */
export type RunCause = 'session-start' | 'ttl-passed' | 'unauthorized'

/** Something that happened in a session of the client; never a secret in it. */
export type ClientHappening =
  | { readonly type: 'session-started'; readonly context: ClientContext }
  | { readonly type: 'credential-reused'; readonly ageSec: number }
  | { readonly type: 'helper-started'; readonly context: ClientContext; readonly cause: RunCause }
  | {
      readonly type: 'helper-succeeded'
      readonly durationMs: number
      readonly warnings: readonly OutputWarning[]
      readonly stderr: string
      readonly headerNames: readonly string[]
    }
  | {
      readonly type: 'helper-failed'
      readonly durationMs: number
      readonly reason: RunReason
      readonly message: string
      readonly stderr: string
    }
  | { readonly type: 'survivors-found'; readonly survivors: Exclude<Survivors, 'none'> }
  | { readonly type: 'expiry-prompt' }
  | { readonly type: 'request-answered'; readonly attempt: 1 | 2; readonly status: number }
  | { readonly type: 'turn-succeeded'; readonly attempts: 1 | 2 }
  | { readonly type: 'turn-failed'; readonly failure: TurnFailure; readonly message: string }

/** A happening with the number of its session and the client's own time, in epoch milliseconds. */
export type ClientEvent = ClientHappening & { readonly session: number; readonly at: number }

/** Reports a happening of one session. */
export type Tell = (happening: ClientHappening) => void
