import type { Credential } from '../../config/document.ts'
import type { HelperClient } from '../../contract/clients/client.ts'
import type { HeldCredential, RunHelper, RunSetup } from '../launch/run-credential-helper.ts'
import type { EraseCredential } from '../launch/run-for-client.ts'
import type { OpenSignIn } from '../sign-in/client-sign-in.ts'
import type { EmitEvent, TurnFailure } from '../timeline/client-event.ts'

/** Who opened a session: a person, or nobody. */
export type SessionContext = 'interactive' | 'scheduled-task'

/** Where a client's credential comes from. All sessions share one source and the credential that it caches. */
export interface CredentialSource {
  /** Begins a new session. `isSignIn`: a credential was obtained for it, so its start counts as a sign-in. */
  startSession(
    context: SessionContext,
    emit: EmitEvent,
  ): Promise<{ readonly session: SessionCredential; readonly isSignIn: boolean }>
  /** Continues a running session whose document now names this source. */
  joinSession(emit: EmitEvent): Promise<SessionCredential>
  /** Takes over changed settings; `false` if they name another source, or another identity, and a new source is needed. */
  update(credential: Credential | undefined): boolean
  /** Drops the cached credential, so that the next session start obtains another one. */
  forget(): void
  /** The failure of a turn for which there is no credential. */
  readonly missing: { readonly failure: TurnFailure; readonly message: string }
}

/** The credential of one session. */
export interface SessionCredential {
  /** The credential to send with a turn; `undefined` if there is none. */
  beforeTurn(emit: EmitEvent): Promise<HeldCredential | undefined>
  /** The credential with which to repeat a turn after a 401; `undefined` if it is not repeated. */
  afterRefusal(refused: HeldCredential, emit: EmitEvent): Promise<HeldCredential | undefined>
  /** The repeated turn got a 401, too. */
  afterSecondRefusal?(refused: HeldCredential, emit: EmitEvent): void
}

/** What a credential source is given by its client. */
export interface SourceSetup extends RunSetup {
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
  /** How long before its end a ttl counts as over in the check before a turn, in seconds. */
  readonly lookAheadSec: number
  readonly runHelper: RunHelper
  readonly openSignIn: OpenSignIn
  /** Runs the helper as this client does, in place of the desktop client. */
  readonly otherClient?: HelperClient
  readonly eraseCredential?: EraseCredential
}
