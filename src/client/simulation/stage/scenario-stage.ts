import type { Client, Session } from '../../session/client.ts'
import { startClient } from '../../session/start-client.ts'
import type { ClientEvent } from '../../timeline/client-event.ts'
import type { Act } from '../scenario/plan-scenario.ts'
import type { SimulationEvent } from '../simulation-event.ts'
import { alterSurroundings, type Surroundings } from './alter-conditions.ts'
import type { PlaySettings } from './play-settings.ts'
import { simulateWorld } from './simulated-world.ts'

/** The number of the window in which scheduled tasks run, out of the way of those that a person has. */
export const taskWindow = 0

/** What every turn says; a gateway that is not ours may charge for it. */
const question = 'Hello?'

/** A client on a machine to which a scenario happens. */
export class ScenarioStage {
  readonly events: SimulationEvent[] = []
  readonly #settings: PlaySettings
  readonly #startAt: number
  readonly #around: Surroundings
  readonly #client: Client
  readonly #windows = new Map<number, Session>()
  #lastPrint: 'alive' | 'dead' = 'alive'

  constructor(settings: PlaySettings) {
    this.#settings = settings
    this.#startAt = settings.clock.now()
    this.#around = {
      document: settings.document,
      person: 'agrees',
      laptop: 'awake',
      conditions: { network: 'up', helperDelaySec: 0 },
      gateway: settings.gateway.controls,
    }
    this.#client = this.#startClient()
  }

  /** When something is due by itself; never while the laptop sleeps. */
  dueAt(): number {
    return this.#around.laptop === 'asleep' ? Number.POSITIVE_INFINITY : this.#client.dueAt()
  }

  wake(): Promise<void> {
    return this.#client.wake()
  }

  async perform(act: Act): Promise<void> {
    switch (act.type) {
      case 'start':
        await this.#open(act.window)
        break
      case 'turn':
        await (this.#windows.get(act.window) ?? (await this.#open(act.window))).sendTurn(question)
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
        const words = alterSurroundings(act, this.#around, this.#settings.clock.now())
        this.#stage(words, 'untilSec' in act ? act.untilSec : undefined)
      }
    }
  }

  #startClient(): Client {
    const { clock, env, platform, lookAheadSec } = this.#settings
    const onPrint = (print: 'alive' | 'dead') => {
      this.#lastPrint = print
    }
    return startClient({
      document: this.#around.document,
      readDocument: async () => this.#around.document,
      person: { answer: () => answers[this.#around.person] },
      env,
      platform,
      now: clock.now,
      world: simulateWorld({ ...this.#settings, conditions: this.#around.conditions, onPrint }),
      ...(lookAheadSec !== undefined && { lookAheadSec }),
      onEvent: (event) => this.#record(event),
    })
  }

  async #open(window: number): Promise<Session> {
    const session = await this.#client.startSession('interactive', window)
    this.#windows.set(window, session)
    return session
  }

  /** What a configuration window says of a run. */
  async #testSetup(): Promise<void> {
    const run = await this.#client.probe('setup-test')
    const verdict = !run ? 'nothing to test' : !run.ok ? 'a failure' : run.stderr === '' ? 'a success' : 'a warning'
    this.#stage(`the connection test shows ${verdict}`)
  }

  #stage(words: string, untilSec?: number): void {
    const until = untilSec === undefined ? {} : { untilAt: this.#startAt + untilSec * 1000 }
    this.events.push({ type: 'staged', at: this.#settings.clock.now(), words, ...until })
  }

  /** A turn that is lost over a token that is dead in simulated time only is no fault of the helper. */
  #record(event: ClientEvent): void {
    this.events.push(event)
    if (event.type !== 'turn-failed' || event.failure !== 'unauthorized' || this.#lastPrint === 'alive') return
    const { at, session } = event
    this.events.push({ type: 'simulation-limit', at, ...(session !== undefined && { session }), words: reprint })
  }
}

const answers = { agrees: 'agree', declines: 'decline', away: 'later' } as const

const reprint =
  'the helper printed a token again whose simulated life is over: its own cache lives in real time; no defect of it'
