import type { Client, Session } from '../../session/client.ts'
import { startClient } from '../../session/start-client.ts'
import type { ClientEvent } from '../../timeline/client-event.ts'
import type { Action } from '../scenario/plan-scenario.ts'
import type { SimulationEvent } from '../simulation-event.ts'
import { applyAction, type SimulationState } from './apply-action.ts'
import type { PlaySettings } from './play-settings.ts'
import { simulateWorld } from './simulated-world.ts'

/** The number of the window in which scheduled tasks run; those of a person begin with 1. */
export const taskWindow = 0

/** The text of every turn, short because a real gateway may charge for it. */
const question = 'Hello?'

/** A client and the state around it, on which a scenario's actions are performed. */
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
      conditions: { network: 'up', helperDelaySec: 0, provider: 'up', signIn: 'valid' },
      gateway: settings.gateway.controls,
    }
    this.#client = this.#startClient()
  }

  /** When something is due, in epoch milliseconds; infinite while the laptop sleeps. */
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
        await (this.#windows.get(action.window) ?? (await this.#open(action.window))).sendTurn(question)
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
        await this.#testSetup()
        break
      default: {
        const words = applyAction(action, this.#state, this.#settings.clock.now())
        this.#recordStaged(words, 'untilSec' in action ? action.untilSec : undefined)
      }
    }
  }

  #startClient(): Client {
    const { clock, env, platform, lookAheadSec, otherClient, eraseCredential } = this.#settings
    const onToken = (state: 'live' | 'expired') => {
      this.#lastToken = state
    }
    return startClient({
      document: this.#state.document,
      readDocument: async () => this.#state.document,
      person: { answer: () => answers[this.#state.person] },
      env,
      platform,
      now: clock.now,
      world: simulateWorld({
        ...this.#settings,
        conditions: this.#state.conditions,
        findPerson: () => this.#state.person,
        onToken,
      }),
      ...(lookAheadSec !== undefined && { lookAheadSec }),
      ...(otherClient && { otherClient }),
      ...(eraseCredential && { eraseCredential }),
      onEvent: (event) => this.#record(event),
    })
  }

  async #open(window: number): Promise<Session> {
    const session = await this.#client.startSession('interactive', window)
    this.#windows.set(window, session)
    return session
  }

  /** Runs the test of the configuration window and records what that shows. */
  async #testSetup(): Promise<void> {
    const run = await this.#client.probe('setup-test')
    const verdict = !run ? 'nothing to test' : !run.ok ? 'a failure' : run.stderr === '' ? 'a success' : 'a warning'
    this.#recordStaged(`the connection test shows ${verdict}`)
  }

  #recordStaged(words: string, untilSec?: number): void {
    const until = untilSec === undefined ? {} : { untilAt: this.#startAt + untilSec * 1000 }
    this.events.push({ type: 'staged', at: this.#settings.clock.now(), words, ...until })
  }

  /** A lost turn is no fault of the helper if its token has expired in simulated time only. */
  #record(event: ClientEvent): void {
    this.events.push(event)
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

const answers = { agrees: 'agree', declines: 'decline', away: 'later' } as const

const expiredInSimulation =
  'the helper printed a cached token that has expired in simulated time; its own cache uses real time, so this is no defect'
