// Folder: the whole client: a turn, the sessions of one document, following the document, and requests to the configuration server.

import type { ClientEvent } from '../client-event.ts'
import type { OpenSignIn } from '../credentials/client-sign-in.ts'
import type { OpenAddress } from '../credentials/create-open-sign-in.ts'
import type { SessionContext, SourceSetup } from '../credentials/helper-source.ts'
import type { HelperRun, RunHelper } from '../launch/run-credential-helper.ts'
import type { DocumentSettings } from './followed-document.ts'
import type { SendTurn, StartTimer } from './turn.ts'

/** Helpers inherit `env`, the client's own environment, and run in real time even if `now` is simulated. */
export interface ClientSettings
  extends DocumentSettings,
    Pick<SourceSetup, 'env' | 'platform' | 'otherClient' | 'eraseCredential'> {
  readonly onEvent: (event: ClientEvent) => void
  /** Opens the sign-in page; in a browser of this machine by default. */
  readonly openAddress?: OpenAddress | undefined
  /** See {@link defaultLookAheadSec}. */
  readonly lookAheadSec?: number | undefined
  /** Replaces helpers, identity providers, gateway and timers; the real ones by default. */
  readonly world?: Partial<ClientWorld>
}

/** The world outside the client: helpers, identity providers, the gateway and timers. */
export interface ClientWorld {
  readonly runHelper: RunHelper
  readonly openSignIn: OpenSignIn
  readonly sendTurn: SendTurn
  readonly startTimer: StartTimer
}

/** How long before its end a ttl counts as over in the check before a turn. Not documented; our decision. */
export const defaultLookAheadSec = 0

/** A running client. Its sessions share one credential in memory. */
export interface Client {
  /** Opens a session in a window: `interactive` (the default) if a person opens it. Its events have the `id`. */
  startSession(context?: SessionContext, id?: number): Promise<Session>
  /** Runs the helper and discards its token, like a health check or the test of the configuration window. */
  probe(context: 'background' | 'setup-test'): Promise<HelperRun | undefined>
  /** When the document or the sign-in is due, in epoch milliseconds; call `wake` then. */
  dueAt(): number
  /** Reads the document if it is due, and emits the due events. Turns and session starts do so too. */
  wake(): Promise<void>
  /** Restarts the client: it drops its credential, reads the document again and has no sessions. */
  relaunch(): Promise<void>
}

/** A window of the client, by its number in events. */
export interface Session {
  readonly id: number
  /** Sends one turn and returns the text of the answer; `undefined` if the turn was lost, for which an event states the reason. */
  sendTurn(text: string): Promise<string | undefined>
}
