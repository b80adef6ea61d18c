import type { ConfigDocument } from '../../config/document.ts'
import type { HelperClient } from '../../contract/client.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import type { ClientEvent } from '../client-event.ts'
import type { OpenSignIn } from '../credentials/client-sign-in.ts'
import type { HelperRun, RunHelper } from '../launch/run-credential-helper.ts'
import type { EraseCredential } from '../launch/run-for-client.ts'
import type { Client, Session } from '../session/client.ts'
import type { DocumentServer } from '../session/served-source.ts'
import { startClient } from '../session/start-client.ts'
import type { Action, Task } from './plan-scenario.ts'
import { changeDocument, type DocumentValues, type Effect, type PersonState } from './scenario.ts'
import { type Conditions, type GatewayControls, type SimulatedGateway, simulateWorld } from './simulated-world.ts'
import type { SimulationEvent } from './simulation-event.ts'
import { createStagedServer } from './staged-server.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The number of the window for scheduled tasks; a person's windows begin with 1. */
export const taskWindow = 0

/** A client and the state around it, to which a scenario's actions apply. */
export class ScenarioStage {
  readonly events: SimulationEvent[] = []
  readonly #settings: PlaySettings
  readonly #startAt: number
  readonly #state: SimulationState
  readonly #client: Client
  readonly #windows = new Map<number, Session>()
  #lastToken: 'live' | 'expired' = 'live'

  constructor(settings: PlaySettings) {
    this.#settings = settings
    this.#startAt = settings.clock.now()
    this.#state = {
      document: settings.document,
      person: 'agrees',
      laptop: 'awake',
      changes: settings.served?.values ?? {},
      conditions: { network: 'up', helperDelaySec: 0, provider: 'up', signIn: 'valid', server: 'up' },
      gateway: settings.gateway.controls,
    }
    this.#client = this.#startClient()
  }

  /** Computes when an action is due, in epoch milliseconds; infinite while the laptop sleeps. */
  dueAt(): number {
    return this.#state.laptop === 'asleep' ? Number.POSITIVE_INFINITY : this.#client.dueAt()
  }

  wake(): Promise<void> {
    return this.#client.wake()
  }

  async perform(action: Action): Promise<void> {
    switch (action.type) {
      case 'start':
        await this.#open(action.window)
        break
      case 'turn':
        await this.#sendTurn(action.window)
        break
      case 'scheduled-task':
        await (await this.#client.startSession('scheduled-task', taskWindow)).sendTurn(question)
        break
      case 'relaunch':
        this.#windows.clear()
        await this.#client.relaunch()
        break
      case 'probe':
        await this.#client.probe('background')
        break
      case 'setup-test':
        await this.#runSetupTest()
        break
      default: {
        const words = applyAction(action, this.#state, this.#settings.clock.now())
        this.#recordStaged(words, 'untilSec' in action ? action.untilSec : undefined)
      }
    }
  }

  #startClient(): Client {
    const { clock, env, platform, lookAheadSec, otherClient, eraseCredential, served } = this.#settings
    const onToken = (state: 'live' | 'expired') => {
      this.#lastToken = state
    }
    return startClient({
      document: this.#state.document,
      ...(served ? { server: this.#createServer(served) } : { readDocument: async () => this.#state.document }),
      person: { answer: () => answers[this.#state.person], restart: () => answers[this.#state.person] },
      env,
      platform,
      now: clock.now,
      world: simulateWorld({
        ...this.#settings,
        conditions: this.#state.conditions,
        observePerson: () => this.#state.person,
        onToken,
      }),
      lookAheadSec,
      otherClient,
      eraseCredential,
      onEvent: (event) => this.#record(event),
    })
  }

  #createServer({ server }: NonNullable<PlaySettings['served']>): DocumentServer {
    const state = this.#state
    return createStagedServer({
      ...(server && { server }),
      conditions: state.conditions,
      observeDocument: () => state.document,
      observeChanges: () => state.changes,
      now: this.#settings.clock.now,
    })
  }

  async #sendTurn(window: number): Promise<void> {
    const answer = await (this.#windows.get(window) ?? (await this.#open(window))).sendTurn(question)
    if (answer !== undefined || this.#settings.afterLostTurn === undefined) return
    await (await this.#open(window)).sendTurn(question)
  }

  async #open(window: number): Promise<Session> {
    const session = await this.#client.startSession('interactive', window)
    this.#windows.set(window, session)
    return session
  }

  /** Runs the test of the configuration window and records its result. */
  async #runSetupTest(): Promise<void> {
    const run = await this.#client.probe('setup-test')
    this.#recordStaged(`the connection test shows ${describeTest(run)}`)
  }

  #recordStaged(words: string, untilSec?: number): void {
    const until = untilSec === undefined ? {} : { untilAt: this.#startAt + untilSec * 1000 }
    this.events.push({ type: 'staged', at: this.#settings.clock.now(), words, ...until })
  }

  /** A lost turn is not the helper's fault if its token has expired only in simulated time and no other token was requested since. */
  #record(event: ClientEvent): void {
    this.events.push(event)
    if (event.type === 'helper-failed') this.#lastToken = 'live'
    if (event.type !== 'turn-failed' || event.failure !== 'unauthorized' || this.#lastToken === 'live') return
    const { at, session } = event
    this.events.push({
      type: 'simulation-limit',
      at,
      ...(session !== undefined && { session }),
      words: expiredInSimulation,
    })
  }
}

/** The parts of a simulation, with a simulated or real provider and gateway. */
export interface PlaySettings {
  readonly tasks: readonly Task[]
  /** The first document, with the scenario's values. */
  readonly document: ConfigDocument
  /** Set if a configuration server serves the document: a real one, to whose answers these values are applied, or a simulated one. */
  readonly served?: { readonly server?: DocumentServer; readonly values: DocumentValues }
  readonly clock: VirtualClock
  readonly gateway: SimulatedGateway
  /** The client's own environment. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The client that runs the helper instead of the desktop client, and how it reports a refusal. */
  readonly otherClient?: HelperClient
  readonly eraseCredential?: EraseCredential
  readonly lookAheadSec?: number
  readonly tokenLifeSec?: number
  /** Runs real processes by default. */
  readonly runHelper?: RunHelper
  /** Signs a person in; if absent, every sign-in fails. */
  readonly openSignIn?: OpenSignIn
  /** Whether a person who has lost a turn starts a new session and sends the turn again. */
  readonly afterLostTurn?: 'new session'
}

/** The text of every turn, short because a real gateway may charge for it. */
const question = 'Hello?'

const answers = { agrees: 'agree', declines: 'decline', away: 'later' } as const

const expiredInSimulation =
  'the helper printed a cached token that has expired in simulated time; its own cache uses real time, so this is not a defect'

/** The state around a simulated client, which a scenario changes. */
interface SimulationState {
  document: ConfigDocument
  /** The values that the scenario has changed in the document so far. */
  changes: DocumentValues
  person: PersonState
  laptop: 'awake' | 'asleep'
  readonly conditions: Conditions
  readonly gateway: GatewayControls | undefined
}

/** Actions that change the state around the client, not the client itself. */
type StateAction = Exclude<Action, { type: 'start' | 'turn' | 'scheduled-task' | 'relaunch' | 'probe' | 'setup-test' }>

function describeTest(run: HelperRun | undefined): string {
  if (!run) return 'nothing to test'
  if (!run.ok) return 'a failure'
  return run.stderr === '' ? 'a success' : 'a warning'
}

/**
 * Changes the state and describes the change.
 * @param now In epoch milliseconds.
 */
function applyAction(action: StateAction, state: SimulationState, now: number): string {
  switch (action.type) {
    case 'sleep':
      state.laptop = 'asleep'
      return 'the laptop sleeps'
    case 'awake':
      state.laptop = 'awake'
      return 'the laptop wakes up'
    case 'revoke':
      state.gateway?.revokeAll()
      return 'every token is revoked'
    case 'revoke-sign-in':
      state.conditions.signIn = 'revoked'
      return "the provider ends the person's sign-in"
    case 'person':
      state.person = action.is
      return `the person ${personWords[action.is]}`
    case 'document-changes': {
      const changed = changeDocument(state.document, action.values, now)
      if (typeof changed !== 'string') state.document = changed // planDocuments has checked the change
      state.changes = { ...state.changes, ...action.values }
      return `the document is changed: ${Object.keys(action.values).join(', ')}`
    }
    case 'effect-begins':
      return applyEffect(action.effect, state)
    case 'effect-ends':
      return endEffect(action.effect.of, state)
    case 'end':
      return 'the scenario ends'
  }
}

const personWords = { agrees: 'agrees to what is asked', declines: 'declines what is asked', away: 'is away' } as const

function applyEffect(effect: Effect, { conditions, gateway }: SimulationState): string {
  switch (effect.of) {
    case 'network':
      conditions.network = 'down'
      return 'the network is down'
    case 'provider':
      conditions.provider = 'down'
      return 'the identity provider is down'
    case 'server':
      conditions.server = effect.status ?? 'down'
      return `the configuration server ${effect.status === undefined ? 'is down' : `answers ${effect.status}`}`
    case 'gateway':
      if (gateway) gateway.failureMode.status = effect.status
      return `the gateway answers ${effect.status}`
    case 'stream':
      if (gateway) gateway.failureMode.silentMs = effect.silentSec * 1000
      return `answers are silent for ${renderDuration(effect.silentSec)}`
    case 'helper':
      conditions.helperDelaySec = effect.takesSec
      return `helpers take ${renderDuration(effect.takesSec)} longer`
  }
}

function endEffect(of: Effect['of'], { conditions, gateway }: SimulationState): string {
  switch (of) {
    case 'network':
      conditions.network = 'up'
      return 'the network is back'
    case 'provider':
      conditions.provider = 'up'
      return 'the identity provider is back'
    case 'server':
      conditions.server = 'up'
      return 'the configuration server answers as before'
    case 'gateway':
      delete gateway?.failureMode.status
      return 'the gateway answers as before'
    case 'stream':
      delete gateway?.failureMode.silentMs
      return 'answers come at once again'
    case 'helper':
      conditions.helperDelaySec = 0
      return 'helpers are as fast as before'
  }
}
