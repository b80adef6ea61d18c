import type { ClientContext } from '../contract/context.ts'
import type { OutputWarning } from '../contract/output.ts'
import type { RunReason } from './run-credential-helper.ts'

/** Why a turn got no answer. */
export type TurnFailure =
  | 'no-credential'
  | 'no-gateway'
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'gateway-error'
  | 'unsupported-kind'

/** Why the client runs the helper now. */
export type RunCause = 'session-start' | 'ttl-passed' | 'unauthorized'

/** Something that happened in the client; never a secret in it. */
export type ClientHappening =
  | { readonly type: 'session-started'; readonly session: number; readonly context: ClientContext }
  | { readonly type: 'credential-reused'; readonly session: number; readonly ageSec: number }
  | {
      readonly type: 'helper-started'
      readonly session: number
      readonly context: ClientContext
      readonly cause: RunCause
    }
  | {
      readonly type: 'helper-succeeded'
      readonly session: number
      readonly durationMs: number
      readonly warnings: readonly OutputWarning[]
      readonly stderr: string
      readonly headerNames: readonly string[]
    }
  | {
      readonly type: 'helper-failed'
      readonly session: number
      readonly durationMs: number
      readonly reason: RunReason
      readonly message: string
      readonly stderr: string
    }
  | { readonly type: 'survivors-ended'; readonly session: number }
  | { readonly type: 'expiry-prompt'; readonly session: number }
  | { readonly type: 'request-answered'; readonly session: number; readonly attempt: 1 | 2; readonly status: number }
  | { readonly type: 'turn-succeeded'; readonly session: number; readonly attempts: 1 | 2 }
  | { readonly type: 'turn-failed'; readonly session: number; readonly failure: TurnFailure; readonly message: string }

/** A happening with the client's own time, in epoch milliseconds. */
export type ClientEvent = ClientHappening & { readonly at: number }
