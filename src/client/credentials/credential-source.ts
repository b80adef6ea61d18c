import type { Credential } from '../../config/document.ts'
import type { HeldCredential, RunHelper, RunSetup } from '../launch/run-credential-helper.ts'
import type { Tell, TurnFailure } from '../timeline/client-event.ts'

/** Who opened a session: a person, or nobody. */
export type SessionContext = 'interactive' | 'scheduled-task'

/** Where a client's credential comes from. One for all of its sessions, so what it keeps is shared by them. */
export interface CredentialSource {
  /** A new session. Its start counts as a sign-in where a credential was obtained for it. */
  startSession(
    context: SessionContext,
    tell: Tell,
  ): Promise<{ readonly user: SessionCredential; readonly isSignIn: boolean }>
  /** A running session whose document now names this source. */
  joinSession(tell: Tell): Promise<SessionCredential>
  /** Goes on under a changed document; `false` where that names another source, or the same for somebody else. */
  adapt(credential: Credential | undefined): boolean
  /** Throws away what is kept, so that the next session start obtains it anew. */
  forget(): void
  /** Why a turn without a credential is lost. */
  readonly missing: { readonly failure: TurnFailure; readonly message: string }
}

/** One session's part of a source. */
export interface SessionCredential {
  /** What to send with a turn; `undefined` when there is nothing. */
  beforeTurn(tell: Tell): Promise<HeldCredential | undefined>
  /** What to repeat a turn with whose credential the gateway answered with 401; `undefined` when it is not repeated. */
  afterRefusal(refused: HeldCredential, tell: Tell): Promise<HeldCredential | undefined>
}

/** What a credential source knows of its client. */
export interface SourceSetup extends RunSetup {
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
  /** How long before its end a ttl counts as over in the check before a turn, in seconds. */
  readonly lookAheadSec: number
  readonly runHelper: RunHelper
}
