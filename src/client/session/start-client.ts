import { isDeepStrictEqual } from 'node:util'
import type { Credential } from '../../config/document.ts'
import type { CredentialSource, SessionContext, SourceSetup } from '../credentials/credential-source.ts'
import { selectCredentialSource } from '../credentials/select-credential-source.ts'
import { SignIn } from '../credentials/sign-in.ts'
import { tellOfRun } from '../credentials/tell-of-run.ts'
import { FollowedDocument } from '../document/followed-document.ts'
import { type HelperRun, runCredentialHelper } from '../launch/run-credential-helper.ts'
import type { Tell } from '../timeline/client-event.ts'
import { findGateway } from '../turn/gateway-inference.ts'
import { playTurn, type TurnStage } from '../turn/play-turn.ts'
import { realTimer } from '../turn/real-timer.ts'
import { sendTurn } from '../turn/send-turn.ts'
import { type Client, type ClientSettings, type ClientWorld, defaultLookAheadSec, type Session } from './client.ts'
import { sessionCredentials } from './session-credentials.ts'

/** Starts a stand-in for the desktop client, which behaves as the contract says, with an injected clock. */
export function startClient(settings: ClientSettings): Client {
  return new RunningClient(settings)
}

class RunningClient implements Client {
  readonly #settings: ClientSettings
  readonly #world: ClientWorld
  readonly #document: FollowedDocument
  readonly #signIn: SignIn
  #source: CredentialSource
  #sourceOf: Credential | undefined
  #sessions = 0
  #awake: Promise<void> = Promise.resolve()

  constructor(settings: ClientSettings) {
    this.#settings = settings
    this.#world = { runHelper: runCredentialHelper, sendTurn, startTimer: realTimer, ...settings.world }
    const tell = this.#teller()
    this.#document = new FollowedDocument(settings, tell)
    this.#signIn = new SignIn(settings.now, tell)
    this.#sourceOf = findGateway(this.#document.applied)?.credential
    this.#source = this.#selectSource()
  }

  async startSession(context: SessionContext = 'interactive', id = this.#sessions + 1): Promise<Session> {
    this.#sessions = Math.max(this.#sessions, id)
    const tell = this.#teller(id)
    await this.#attend(context)
    tell({ type: 'session-started', context })
    const source = this.#source
    const { user, isSignIn } = await source.startSession(context, tell)
    if (isSignIn) this.#signIn.begin()
    const findCredential = sessionCredentials(source, user, () => this.#source)
    const sendTurn = async (text: string) => {
      await this.#attend(context)
      return playTurn({ ...this.#stage(tell), text }, findCredential)
    }
    return { id, sendTurn }
  }

  async probe(context: 'background' | 'setup-test'): Promise<HelperRun | undefined> {
    const helper = this.#sourceOf
    if (helper?.kind !== 'helper-script') return undefined
    const cause = context === 'background' ? 'probe' : context
    return tellOfRun({ helper, context, cause, tell: this.#teller() }, this.#surroundings())
  }

  dueAt(): number {
    return Math.min(this.#document.dueAt, this.#signIn.dueAt(this.#lifetimeSec))
  }

  wake(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#settings.now() >= this.#document.dueAt) await this.#document.read()
      if (this.#signIn.wake(this.#lifetimeSec) === 'expired') this.#source.forget()
      this.#followSource()
    })
  }

  async relaunch(): Promise<void> {
    this.#teller()({ type: 'relaunched' })
    this.#source.forget()
    this.#signIn.end()
    if (this.#settings.readDocument) await this.#document.read()
    this.#followSource()
  }

  /** A person who does something finds what is due, and any question that is still open. */
  async #attend(context: SessionContext): Promise<void> {
    await this.wake()
    if (context !== 'interactive') return
    await this.#inTurn(async () => {
      await this.#document.askPerson()
      this.#followSource()
    })
  }

  /** One after the other, however many windows call; one that fails does so for its own caller only. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#awake = this.#awake.then(work, work)
    return this.#awake
  }

  /** Another source starts anew: nothing that was obtained from one is sent in the name of another. */
  #followSource(): void {
    const credential = findGateway(this.#document.applied)?.credential
    if (isDeepStrictEqual(credential, this.#sourceOf)) return
    this.#sourceOf = credential
    if (!this.#source.adapt(credential)) this.#source = this.#selectSource()
  }

  #stage(tell: Tell): Omit<TurnStage, 'text'> {
    const inference = findGateway(this.#document.applied)
    const { isExpired: isSignedOut } = this.#signIn
    const { heldBack } = this.#document
    return { inference, isSignedOut, heldBack, world: this.#world, now: this.#settings.now, tell }
  }

  #selectSource(): CredentialSource {
    return selectCredentialSource(this.#sourceOf, this.#surroundings())
  }

  #surroundings(): SourceSetup {
    const { env, platform, now } = this.#settings
    return { env, platform, now, lookAheadSec: this.#settings.lookAheadSec ?? defaultLookAheadSec, ...this.#world }
  }

  get #lifetimeSec(): number | undefined {
    return this.#document.applied.inference?.sessionLifetimeSec
  }

  #teller(session?: number): Tell {
    const { onEvent, now } = this.#settings
    return (happening) => onEvent({ ...happening, ...(session !== undefined && { session }), at: now() })
  }
}
