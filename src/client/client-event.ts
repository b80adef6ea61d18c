import type { ClientContext } from '../contract/context.ts'
import type { OutputWarning } from '../contract/output.ts'
import type { FailureKind } from '../runtime/failure.ts'
import type { Survivors } from './launch/launch.ts'
import type { RunReason } from './launch/run-credential-helper.ts'

/** The reason why the client lost a turn: the first thing that was missing or failed. */
export type TurnFailure =
  | 'no-credential'
  | 'no-gateway'
  | 'consent-pending'
  | 'sign-in-required'
  | 'sign-in-expired'
  | 'unsendable'
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'gateway-error'
  | 'stream-idle'
  | 'broker-needed'
  | 'unsupported-kind'
  | 'restart-required'
  | 'no-document'

/** The cause for which the client runs the helper. */
export type RunCause =
  | 'session-start'
  | 'first-request'
  | 'end-near'
  | 'ttl-passed'
  | 'unauthorized'
  | 'document-changed'
  | 'probe'
  | 'setup-test'

/** Why the client renews a token without the person. */
export type RenewalCause = 'session-start' | 'expired' | 'unauthorized'

/** Why the client asks its configuration server: at its start, or after its interval. */
export type AskCause = 'launch' | 'background'

/** Why the configuration server gave no document. */
export type NoDocumentReason =
  | 'sign-in'
  | 'unauthorized'
  | 'forbidden'
  | 'unreachable'
  | 'timeout'
  | 'redirect'
  | 'status'
  | 'unexpected-304'
  | 'content-type'
  | 'too-large'
  | 'broken'
  | 'not-a-document'

/** An event in the client; it holds no secret. */
export type ClientEventBody =
  | { readonly type: 'session-started'; readonly context: ClientContext }
  | { readonly type: 'credential-reused'; readonly ageSec: number }
  /** The context is absent if the client states none. */
  | { readonly type: 'helper-started'; readonly context?: ClientContext; readonly cause: RunCause }
  | { readonly type: 'credential-erased' }
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
  | { readonly type: 'sign-in-started' }
  | { readonly type: 'renewal-started'; readonly cause: RenewalCause }
  /** `lifeSec`: the remaining life of the token, if it is known. */
  | {
      readonly type: 'sign-in-succeeded' | 'renewal-succeeded'
      readonly durationMs: number
      readonly lifeSec?: number
    }
  | {
      readonly type: 'sign-in-failed' | 'renewal-failed'
      readonly durationMs: number
      readonly reason: FailureKind
      readonly message: string
    }
  /** A sign-in or renewal that another window had already started. */
  | { readonly type: 'sign-in-joined' | 'renewal-joined'; readonly durationMs: number }
  | { readonly type: 'expiry-prompt' }
  | { readonly type: 'request-answered'; readonly attempt: 1 | 2; readonly status: number }
  /** `waitedMs`: how long the turn took, including its helper runs. */
  | { readonly type: 'turn-succeeded'; readonly attempts: 1 | 2; readonly waitedMs: number }
  | {
      readonly type: 'turn-failed'
      readonly failure: TurnFailure
      readonly message: string
      readonly waitedMs: number
    }
  | { readonly type: 'reauthenticate-banner'; readonly remainingSec: number }
  | { readonly type: 'sign-in-expired' }
  /** Nested paths of the values that changed. */
  | { readonly type: 'document-read'; readonly changes: readonly string[] }
  | { readonly type: 'document-unreadable' }
  /** The configuration server answered with a document, or that the document has not changed. */
  | {
      readonly type: 'document-served'
      readonly cause: AskCause
      readonly status: 200 | 304
      readonly change: 'in use from now on' | 'none' | 'after a restart'
    }
  /** The configuration server gave no document. */
  | {
      readonly type: 'document-refused'
      readonly reason: NoDocumentReason
      readonly message: string
      readonly status?: number | undefined
      readonly after: 'start without a provider' | 'go on with the document in use' | 'go on without a provider'
    }
  /** Nested paths of the values that differ from those in use. `enforcedAt`: when the client blocks, in epoch milliseconds. */
  | { readonly type: 'restart-asked'; readonly changes: readonly string[]; readonly enforcedAt: number }
  /** The client blocks until it has restarted. */
  | { readonly type: 'restart-enforced' }
  | { readonly type: 'restart-withdrawn' }
  /** Nested paths of new values that wait until a person agrees. */
  | { readonly type: 'consent-asked'; readonly fields: readonly string[] }
  | { readonly type: 'consent-answered'; readonly answer: 'agree' | 'decline'; readonly fields: readonly string[] }
  /** `by`: the person who was asked, or the client itself; absent if nobody was asked. */
  | { readonly type: 'relaunched'; readonly by?: 'the person' | 'the client itself' }

/**
 * An event with the client's time in epoch milliseconds and the id of its session; without one it concerns the whole
 * client.
 */
export type ClientEvent = ClientEventBody & { readonly session?: number; readonly at: number }

/** Emits an event of one session, or of the client. */
export type EmitEvent = (event: ClientEventBody) => void
