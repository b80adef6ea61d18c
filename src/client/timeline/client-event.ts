import type { ClientContext } from '../../contract/context.ts'
import type { OutputWarning } from '../../contract/output.ts'
import type { Survivors } from '../launch/launch.ts'
import type { RunReason } from '../launch/run-credential-helper.ts'

/** Why a turn got no answer. */
export type TurnFailure =
  | 'no-credential'
  | 'no-gateway'
  | 'consent-pending'
  | 'sign-in-expired'
  | 'unsendable'
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'gateway-error'
  | 'stream-idle'
  | 'unsupported-kind'

/** Why the client runs the helper now. */
export type RunCause = 'session-start' | 'ttl-passed' | 'unauthorized' | 'document-changed' | 'probe' | 'setup-test'

/** Something that happened in the client; never a secret in it. */
export type ClientEventBody =
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
  /** `waitedMs`: what the turn took, helper runs included. */
  | { readonly type: 'turn-succeeded'; readonly attempts: 1 | 2; readonly waitedMs: number }
  | {
      readonly type: 'turn-failed'
      readonly failure: TurnFailure
      readonly message: string
      readonly waitedMs: number
    }
  | { readonly type: 'reauthenticate-banner'; readonly remainingSec: number }
  | { readonly type: 'sign-in-expired' }
  /** Nested paths of what is applied differently now. */
  | { readonly type: 'document-read'; readonly changes: readonly string[] }
  | { readonly type: 'document-unreadable' }
  /** Nested paths of new values that are held back until a person agrees. */
  | { readonly type: 'consent-asked'; readonly fields: readonly string[] }
  | { readonly type: 'consent-answered'; readonly answer: 'agree' | 'decline'; readonly fields: readonly string[] }
  | { readonly type: 'relaunched' }

/**
 * A happening with the client's own time, in epoch milliseconds, and the number of its session; without one it is the
 * client's as a whole.
 */
export type ClientEvent = ClientEventBody & { readonly session?: number; readonly at: number }

/** Reports a happening of one session, or of the client. */
export type Tell = (happening: ClientEventBody) => void
