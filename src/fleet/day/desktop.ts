import type { FleetSettings, FleetSite } from '../fleet-settings.ts'
import { Activity, ClientMemory, KeptToken } from './activity.ts'
import { Agenda } from './agenda.ts'
import { RandomStream } from './random-stream.ts'

/**
 * One simulated desktop. A fleet has a single object of this class, and the state of each desktop is loaded into it: a million objects
 * would take several times the memory, and much garbage collection.
 */
export class Desktop {
  readonly agenda: Agenda
  /** The random numbers of its helper. */
  readonly random = new RandomStream()
  readonly memory = new ClientMemory()
  readonly kept = new KeptToken()
  readonly activity = new Activity()
  readonly #settings: FleetSettings
  readonly #state: Float64Array
  /** The index of the desktop in the fleet, under which its state is stored. */
  number = 0
  /** When its last activity ended. */
  now = 0

  constructor(settings: FleetSettings) {
    this.#settings = settings
    this.#state = new Float64Array(settings.desktops * size)
    this.agenda = new Agenda(settings)
  }

  /** Begins a desktop that has no token, and nothing to do before its first day. */
  begin(number: number): void {
    this.number = number
    this.now = 0
    this.random.seed(this.#settings.seed, number, 1)
    Object.assign(this.memory, new ClientMemory())
    Object.assign(this.kept, new KeptToken(), { fractionOfMachine: this.random.next() })
    Object.assign(this.activity, new Activity())
    this.agenda.begin(number, selectSite(this.#settings, number))
  }

  /** Reads a little of the state of several desktops, so that their cache misses overlap. */
  prefetch(numbers: Int32Array, count: number): void {
    let read = 0
    for (let each = 0; each < count; each += 1) {
      const at = numbers[each]! * size
      for (let line = at; line < at + size; line += lineLength) read += this.#state[line]!
    }
    this.now = read
  }

  load(number: number): void {
    const state = this.#state
    const at = number * size
    this.number = number
    this.now = state[at]!
    this.random.load(state, at + randomFrom)
    this.memory.load(state, at + memoryFrom)
    this.kept.load(state, at + keptFrom)
    this.activity.load(state, at + activityFrom)
    this.agenda.load(state, at + agendaFrom, selectSite(this.#settings, number))
  }

  save(): void {
    const state = this.#state
    const at = this.number * size
    state[at] = this.now
    this.random.save(state, at + randomFrom)
    this.memory.save(state, at + memoryFrom)
    this.kept.save(state, at + keptFrom)
    this.activity.save(state, at + activityFrom)
    this.agenda.save(state, at + agendaFrom)
  }
}

const randomFrom = 1
const memoryFrom = randomFrom + RandomStream.size
const keptFrom = memoryFrom + ClientMemory.size
const activityFrom = keptFrom + KeptToken.size
const agendaFrom = activityFrom + Activity.size
const size = agendaFrom + Agenda.size

/** The numbers in a cache line of the processor. */
const lineLength = 8

/** Selects the site of a desktop: the first desktops belong to the first site. */
export function selectSite({ desktops, sites }: Pick<FleetSettings, 'desktops' | 'sites'>, desktop: number): FleetSite {
  let end = 0
  for (const site of sites) {
    end += site.share * desktops
    if (desktop < Math.round(end)) return site
  }
  return sites.at(-1)! // shares add up to 1, or a little less
}
