import type { Tell, TurnFailure } from './client-event.ts'
import type { HeldCredential, RunSurroundings } from './run-credential-helper.ts'

/** Who opened a session: a person, or nobody. */
export type SessionContext = 'interactive' | 'scheduled-task'

/** Where a client's credential comes from. One for all of its sessions, so what it keeps is shared by them. */
export interface CredentialSource {
  atSessionStart(context: SessionContext, tell: Tell): Promise<void>
  /** What to send with a turn; `undefined` when there is nothing. */
  beforeTurn(tell: Tell): Promise<HeldCredential | undefined>
  /** What to repeat a turn with that the gateway answered with 401; `undefined` when it is not repeated. */
  afterRefusal(tell: Tell): Promise<HeldCredential | undefined>
  /** Why a turn without a credential is lost. */
  readonly absence: { readonly failure: TurnFailure; readonly message: string }
}

/** What a credential source knows of its client. */
export interface SourceSurroundings extends RunSurroundings {
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
}
