// Folder: the whole client: one turn, the sessions that share a document, following that document, and asking the configuration server.

import type { ClientEvent } from '../client-event.ts'
import type { OpenSignIn } from '../credentials/client-sign-in.ts'
import type { OpenAddress } from '../credentials/create-open-sign-in.ts'
import type { SessionContext, SourceSetup } from '../credentials/helper-source.ts'
import type { HelperRun, RunHelper } from '../launch/run-credential-helper.ts'
import type { DocumentSettings } from './followed-document.ts'
import type { SendTurn, StartTimer } from './turn.ts'

/** Helpers inherit `env`, the client's own environment, and run in real time whatever `now` returns. */
export interface ClientSettings
  extends DocumentSettings,
    Pick<SourceSetup, 'env' | 'platform' | 'otherClient' | 'eraseCredential'> {
  readonly onEvent: (event: ClientEvent) => void
  /** Opens the address at which a person signs in; by default a browser of this machine does. */
  readonly openAddress?: OpenAddress
  /** See {@link defaultLookAheadSec}. */
  readonly lookAheadSec?: number
  /** Replaces how the client reaches helpers, identity providers, gateway and timers; the real ones by default. */
  readonly world?: Partial<ClientWorld>
}

/** How the client reaches helpers, identity providers, the gateway and timers. */
export interface ClientWorld {
  readonly runHelper: RunHelper
  readonly openSignIn: OpenSignIn
  readonly sendTurn: SendTurn
  readonly startTimer: StartTimer
}

/** How long before its end a ttl counts as over in the check before a turn. Not documented; our decision. */
export const defaultLookAheadSec = 0

/** A running client. Its sessions share the credential, which it keeps in memory. */
export interface Client {
  /** Opens a session in a window: `interactive` (the default) if a person does. Its events carry the `id`. */
  startSession(context?: SessionContext, id?: number): Promise<Session>
  /** Runs the helper and discards its token, as a health check or the test of the configuration window does. */
  probe(context: 'background' | 'setup-test'): Promise<HelperRun | undefined>
  /** When the document or the sign-in is due, in epoch milliseconds; call `wake` then. */
  dueAt(): number
  /** Reads the document if it is due and emits the events that are due. Turns and session starts do so too. */
  wake(): Promise<void>
  /** Restarts the client: it forgets its credential, reads the document again and has no sessions. */
  relaunch(): Promise<void>
}

/** A window of the client, by the number under which events name it. */
export interface Session {
  readonly id: number
  /** Sends one turn and returns the text of the answer; `undefined` if the turn was lost, and an event states the reason. */
  sendTurn(text: string): Promise<string | undefined>
}
