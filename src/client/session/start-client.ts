import { isDeepStrictEqual } from 'node:util'
import { type Credential, findGateway } from '../../config/document.ts'
import type { EmitEvent } from '../client-event.ts'
import { createLibrarySignIn } from '../credentials/create-open-sign-in.ts'
import {
  type CredentialSource,
  runAndReport,
  type SessionContext,
  type SessionCredential,
  type SourceSetup,
} from '../credentials/helper-source.ts'
import { selectCredentialSource } from '../credentials/select-credential-source.ts'
import { SignInLifetime } from '../credentials/sign-in-lifetime.ts'
import { type HelperRun, runCredentialHelper } from '../launch/run-credential-helper.ts'
import { BootstrappedDocument } from './bootstrapped-document.ts'
import { type Client, type ClientSettings, type ClientWorld, defaultLookAheadSec, type Session } from './client.ts'
import { type ClientDocument, FollowedDocument } from './followed-document.ts'
import { type RequireCredential, runTurn, type TurnSetup } from './run-turn.ts'
import { sendTurn } from './send-turn.ts'
import { startRealTimer } from './turn.ts'

/** Starts a stand-in for the desktop client, which follows the contract by the given clock. */
export function startClient(settings: ClientSettings): Client {
  return new RunningClient(settings)
}

class RunningClient implements Client {
  readonly #settings: ClientSettings
  readonly #world: ClientWorld
  readonly #document: ClientDocument
  readonly #signIn: SignInLifetime
  #source: CredentialSource
  #sourceCredential: Credential | undefined
  #sessions = 0
  /** The number of restarts; each closes all windows. */
  #starts = 0
  #running: Promise<void> = Promise.resolve()

  constructor(settings: ClientSettings) {
    this.#settings = settings
    this.#world = {
      runHelper: runCredentialHelper,
      openSignIn: createLibrarySignIn(settings),
      sendTurn,
      startTimer: startRealTimer,
      ...settings.world,
    }
    const emit = this.#createEmitter()
    const { server } = settings
    this.#document = server
      ? new BootstrappedDocument({ ...settings, server }, emit)
      : new FollowedDocument(settings, emit)
    this.#signIn = new SignInLifetime(settings.now, emit)
    this.#sourceCredential = findGateway(this.#document.applied)?.credential
    this.#source = this.#selectSource()
  }

  async startSession(context: SessionContext = 'interactive', id = this.#sessions + 1): Promise<Session> {
    this.#sessions = Math.max(this.#sessions, id)
    const emit = this.#createEmitter(id)
    await this.#wakeFor(context)
    emit({ type: 'session-started', context })
    let opened = await this.#open(context, emit)
    const sendTurn = async (text: string) => {
      await this.#wakeFor(context)
      // After a restart, a person opens the windows again.
      if (opened.starts !== this.#starts) {
        emit({ type: 'session-started', context })
        opened = await this.#open(context, emit)
      }
      const obstacle = this.#document.findObstacle()
      if (!obstacle) this.#document.noteTurn()
      return runTurn({ ...this.#toTurnSetup(emit), text, obstacle }, opened.requireCredential)
    }
    return { id, sendTurn }
  }

  async probe(context: 'background' | 'setup-test'): Promise<HelperRun | undefined> {
    const helper = this.#sourceCredential
    if (helper?.kind !== 'helper-script') return undefined
    const cause = context === 'background' ? 'probe' : context
    return runAndReport({ helper, context, cause, emit: this.#createEmitter() }, this.#toSourceSetup())
  }

  dueAt(): number {
    return Math.min(this.#document.dueAt, this.#signIn.dueAt(this.#lifetimeSec))
  }

  wake(): Promise<void> {
    return this.#runExclusively(async () => {
      if ((await this.#document.wake()) === 'restart') await this.#restart('the client itself')
      if (this.#signIn.wake(this.#lifetimeSec) === 'expired') this.#source.forget()
      this.#updateSource()
    })
  }

  async relaunch(): Promise<void> {
    await this.#restart()
  }

  async #open(context: SessionContext, emit: EmitEvent) {
    const starts = this.#starts
    const source = this.#source
    const { session, isSignIn } = await source.startSession(context, emit)
    if (isSignIn) this.#signIn.begin()
    return { starts, requireCredential: createRequireCredential(source, session, () => this.#source) }
  }

  /** Does every due action, and asks a person who is present every open question. */
  async #wakeFor(context: SessionContext): Promise<void> {
    await this.wake()
    if (context !== 'interactive') return
    await this.#runExclusively(async () => {
      if ((await this.#document.askPerson()) === 'restart') await this.#restart('the person')
      this.#updateSource()
    })
  }

  async #restart(by?: 'the person' | 'the client itself'): Promise<void> {
    this.#createEmitter()({ type: 'relaunched', ...(by && { by }) })
    this.#starts += 1
    this.#source.forget()
    this.#signIn.end()
    await this.#document.start()
    this.#updateSource()
  }

  /** Runs one piece of work at a time, for all windows. A failure reaches only its own caller. */
  #runExclusively(work: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(work, work)
    return this.#running
  }

  /** Replaces the source if the document names another one, so that no credential of the old source is sent. */
  #updateSource(): void {
    const credential = findGateway(this.#document.applied)?.credential
    if (isDeepStrictEqual(credential, this.#sourceCredential)) return
    this.#sourceCredential = credential
    if (!this.#source.update(credential)) this.#source = this.#selectSource()
  }

  #toTurnSetup(emit: EmitEvent): Omit<TurnSetup, 'text' | 'obstacle'> {
    const inference = findGateway(this.#document.applied)
    const { isExpired: isSignedOut } = this.#signIn
    const { pendingConsent } = this.#document
    return { inference, isSignedOut, pendingConsent, world: this.#world, now: this.#settings.now, emit }
  }

  #selectSource(): CredentialSource {
    return selectCredentialSource(this.#sourceCredential, this.#toSourceSetup())
  }

  #toSourceSetup(): SourceSetup {
    const { env, platform, now, otherClient, eraseCredential, lookAheadSec = defaultLookAheadSec } = this.#settings
    return { env, platform, now, otherClient, eraseCredential, lookAheadSec, ...this.#world }
  }

  get #lifetimeSec(): number | undefined {
    return this.#document.applied.inference?.sessionLifetimeSec
  }

  #createEmitter(session?: number): EmitEvent {
    const { onEvent, now } = this.#settings
    return (event) => onEvent({ ...event, ...(session !== undefined && { session }), at: now() })
  }
}

/** Creates the function that gives the credential of one session. A changed document may replace the client's source between two turns. */
function createRequireCredential(
  first: CredentialSource,
  firstSession: SessionCredential,
  chooseSource: () => CredentialSource,
): RequireCredential {
  let source = first
  let session = firstSession
  return async (emit) => {
    if (source !== chooseSource()) {
      source = chooseSource()
      session = await source.continueSession(emit)
    }
    return { source, session }
  }
}
