import { daySec, type PersonStep } from '../fleet-result.ts'
import type { FleetSettings, FleetSite } from '../fleet-settings.ts'
import { RandomStream } from './random-stream.ts'

/**
 * The events at one desktop that do not depend on its tokens: its person's days and its scheduled tasks. They are drawn in order from a
 * random stream of their own, so that they are equal under every choice. Times are milliseconds since the midnight at which the simulation
 * begins.
 */
export class Agenda {
  static readonly size = RandomStream.size + 7
  readonly #random = new RandomStream()
  readonly #settings: AgendaSettings
  #site: FleetSite
  #day = 0
  #sleeps = 0
  #sleepsAt = 0
  #leavesAt = 0
  step: PersonStep = 'begin'
  /** The time of the person's next step. */
  personAt = 0
  /** When the next task begins; infinite without tasks. */
  taskAt = Number.POSITIVE_INFINITY

  constructor(settings: AgendaSettings) {
    this.#settings = settings
    this.#site = settings.sites[0]!
  }

  begin(desktop: number, site: FleetSite): void {
    this.#site = site
    this.#random.seed(this.#settings.seed, desktop, 0)
    this.#day = 0
    this.#leavesAt = 0
    this.#beginDay()
    this.taskAt = site.machine === 'always-on' ? this.#drawTask(-1) : Number.POSITIVE_INFINITY
  }

  /** Returns whether the gateway refuses this turn although its token is good. Drawn once for each turn. */
  isRefusedAnyhow(): boolean {
    const { refusedPerThousand } = this.#settings
    return refusedPerThousand > 0 && this.#random.next() * 1000 < refusedPerThousand
  }

  passTask(): void {
    this.taskAt = this.#drawTask(this.taskAt)
  }

  /** Draws the next step, after the person's last one. */
  passStep(): void {
    switch (this.step) {
      case 'begin':
      case 'wake':
        this.#startTasks()
        this.#drawSleep()
        this.#drawTurn()
        break
      case 'turn':
        this.#drawTurn()
        break
      case 'sleep':
        this.#stopTasks()
        this.#drawWake()
        break
      case 'leave':
        this.#stopTasks()
        this.#day += 1
        this.#beginDay()
        break
    }
  }

  load(state: Float64Array, at: number, site: FleetSite): void {
    this.#site = site
    this.#random.load(state, at)
    this.#day = state[at + 2]!
    this.#sleeps = state[at + 3]!
    this.#sleepsAt = state[at + 4]!
    this.#leavesAt = state[at + 5]!
    this.step = personSteps[state[at + 6]!]!
    this.personAt = state[at + 7]!
    this.taskAt = state[at + 8]!
  }

  save(state: Float64Array, at: number): void {
    this.#random.save(state, at)
    state[at + 2] = this.#day
    state[at + 3] = this.#sleeps
    state[at + 4] = this.#sleepsAt
    state[at + 5] = this.#leavesAt
    state[at + 6] = personSteps.indexOf(this.step)
    state[at + 7] = this.personAt
    state[at + 8] = this.taskAt
  }

  #beginDay(): void {
    const { beginsAt, beginSpreadSec, stays, staySpreadSec } = this.#site
    const arrivesAt = this.#day * dayMs + this.#random.nextNormal(beginsAt, beginSpreadSec) * 1000
    this.step = 'begin'
    this.personAt = Math.max(this.#leavesAt, arrivesAt)
    this.#leavesAt = this.personAt + Math.max(0, this.#random.nextNormal(stays, staySpreadSec)) * 1000
    this.#sleeps = 0
    if (stays === 0) this.personAt = Number.POSITIVE_INFINITY
  }

  /** Draws when the laptop sleeps next; infinite if it does not sleep again that day. */
  #drawSleep(): void {
    const { sleeps } = this.#site
    this.#sleepsAt = Number.POSITIVE_INFINITY
    while (this.#sleeps < sleeps.length && this.#sleepsAt === Number.POSITIVE_INFINITY) {
      const { at, spreadSec } = sleeps[this.#sleeps]!
      const sleepsAt = this.#day * dayMs + this.#random.nextNormal(at, spreadSec) * 1000
      if (sleepsAt > this.personAt) this.#sleepsAt = sleepsAt
      else this.#sleeps += 1
    }
  }

  #drawTurn(): void {
    const endsAt = Math.min(this.#sleepsAt, this.#leavesAt)
    const turnAt = this.personAt + this.#random.nextExponential(this.#settings.turnEverySec * 1000)
    this.personAt = Math.min(turnAt, endsAt)
    this.step = turnAt < endsAt ? 'turn' : this.#sleepsAt < this.#leavesAt ? 'sleep' : 'leave'
  }

  /** Draws when the laptop wakes up; a laptop whose person leaves earlier stays asleep that day. */
  #drawWake(): void {
    const wakesAt = this.personAt + this.#site.sleeps[this.#sleeps]!.forSec * 1000
    this.#sleeps += 1
    this.step = wakesAt < this.#leavesAt ? 'wake' : 'leave'
    this.personAt = Math.min(wakesAt, this.#leavesAt)
  }

  #startTasks(): void {
    if (this.#site.machine === 'laptop') this.taskAt = this.#drawTask(this.personAt)
  }

  #stopTasks(): void {
    if (this.#site.machine === 'laptop') this.taskAt = Number.POSITIVE_INFINITY
  }

  /** Draws the first task after a time. */
  #drawTask(after: number): number {
    const { taskEverySec, taskSpreadSec } = this.#settings
    if (taskEverySec === undefined) return Number.POSITIVE_INFINITY
    const moment = (Math.floor(after / (taskEverySec * 1000)) + 1) * taskEverySec * 1000
    return moment + this.#random.next() * taskSpreadSec * 1000
  }
}

type AgendaSettings = Pick<
  FleetSettings,
  'seed' | 'sites' | 'turnEverySec' | 'taskEverySec' | 'taskSpreadSec' | 'refusedPerThousand'
>

const personSteps = ['begin', 'turn', 'sleep', 'wake', 'leave'] as const satisfies readonly PersonStep[]

const dayMs = daySec * 1000
