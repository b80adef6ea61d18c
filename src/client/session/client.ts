import type { SessionContext, SourceSetup } from '../credentials/credential-source.ts'
import type { DocumentSettings } from '../document/followed-document.ts'
import type { HelperRun, RunHelper } from '../launch/run-credential-helper.ts'
import type { ClientEvent } from '../timeline/client-event.ts'
import type { SendTurn, StartTimer } from '../turn/turn.ts'

/** Helpers inherit `env`, the client's own, and run in real time whatever `now` says. */
export interface ClientSettings extends DocumentSettings, Pick<SourceSetup, 'env' | 'platform'> {
  readonly onEvent: (event: ClientEvent) => void
  /** See {@link defaultLookAheadSec}. */
  readonly lookAheadSec?: number
  /** Where the client ends and the world begins; the real one, unless given. */
  readonly world?: Partial<ClientWorld>
}

/** How the client reaches the far side of its boundaries. */
export interface ClientWorld {
  readonly runHelper: RunHelper
  readonly sendTurn: SendTurn
  readonly startTimer: StartTimer
}

/** How long before its end a ttl counts as over in the check before a turn. Documented nowhere; ours. */
export const defaultLookAheadSec = 0

/** A running client. Its credential is kept in memory and shared by its sessions. */
export interface Client {
  /** Opens a session, a window: `interactive` (the default) when a person did. Events carry its number. */
  startSession(context?: SessionContext, id?: number): Promise<Session>
  /** Runs the helper without keeping what it prints: a health check, or the test of the configuration window. */
  probe(context: 'background' | 'setup-test'): Promise<HelperRun | undefined>
  /** When something is due without anybody's doing, in epoch milliseconds; then call `wake`. */
  dueAt(): number
  /** Reads the document again if it is due and shows what is due. Turns and session starts do so themselves. */
  wake(): Promise<void>
  /** Ends and starts the client: memory is empty, the document is read again, sessions are over. */
  relaunch(): Promise<void>
}

export interface Session {
  readonly id: number
  /** Sends one turn and gives the answer's text; `undefined` when it was lost, of which an event tells the reason. */
  sendTurn(text: string): Promise<string | undefined>
}
