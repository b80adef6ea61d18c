// Folder: the simulated day of a fleet: its desktops, the rules of client and helper, and the provider.

import { computeDueAt } from '../../client/credentials/credential-timing.ts'
import type { FleetResult, ObserveFleet } from '../fleet-result.ts'
import type { FleetChoice, FleetSettings } from '../fleet-settings.ts'
import { createFleetPlay, type FleetPlay } from './fleet-play.ts'
import { attemptMint } from './helper-run.ts'
import { playAfterRun, startActivity, startTurn } from './play-activity.ts'

/**
 * Simulates the days of a fleet and counts the last one. Desktops depend on each other only through the provider: each is simulated until
 * it needs the provider, and all requests are answered in the order of their seconds.
 */
export function simulateFleet(
  settings: FleetSettings,
  choice: FleetChoice,
  { onProgress = () => {}, observe = () => {}, computeFraction }: FleetOptions = {},
): FleetResult {
  const play = createFleetPlay(settings, choice, { observe, computeFraction })
  const seconds = play.endsAt / 1000
  const queue = new CalendarQueue(seconds, settings.desktops)
  startDesktops(play, queue, settings.desktops)
  const batch = new Int32Array(pageLength)
  const progressEvery = Math.ceil(seconds / 200)
  for (let second = 0; second < seconds; second += 1) {
    if (second % progressEvery === 0) onProgress(second / seconds)
    playSecond(play, queue, second, batch)
  }
  onProgress(1)
  return play.counts
}

/** The observers of a running simulation, and a replacement for random numbers. */
interface FleetOptions {
  /** Receives the part of the time that has passed, from 0 to 1, a few hundred times. */
  readonly onProgress?: (part: number) => void
  readonly observe?: ObserveFleet
  /** The fraction of the longest early time by which a desktop renews a token early, for each of its mints; random by default. */
  readonly computeFraction?: (desktop: number) => number
}

function startDesktops(play: FleetPlay, queue: CalendarQueue, desktops: number): void {
  for (let desktop = 0; desktop < desktops; desktop += 1) {
    play.desktop.begin(desktop)
    playUntilRequest(play, queue, -1)
  }
}

function playSecond(play: FleetPlay, queue: CalendarQueue, second: number, batch: Int32Array): void {
  for (let count = queue.take(second, batch); count > 0; count = queue.take(second, batch)) {
    play.desktop.prefetch(batch, count)
    for (let each = 0; each < count; each += 1) {
      play.desktop.load(batch[each]!)
      playUntilRequest(play, queue, second)
    }
  }
}

function playUntilRequest(play: FleetPlay, queue: CalendarQueue, second: number): void {
  const next = playDesktop(play, second)
  play.desktop.save()
  if (next !== undefined) queue.add(next, play.desktop.number)
}

/**
 * Simulates the loaded desktop until it needs the provider in a later second.
 * @returns that second; `undefined` at the end.
 */
function playDesktop(play: FleetPlay, second: number): number | undefined {
  const { activity, agenda } = play.desktop
  for (;;) {
    if (activity.kind === 'nothing') {
      sendQuietTurns(play)
      if (activity.kind !== 'nothing') continue
      if (Math.min(agenda.personAt, agenda.taskAt) >= play.endsAt) return undefined
      startActivity(play)
    } else {
      const requestSecond = Math.floor(activity.requestAt / 1000)
      if (requestSecond > second) return activity.requestAt < play.endsAt ? requestSecond : undefined
      playAfterRun(play, attemptMint(play))
    }
  }
}

/** Sends the turns before any other event, while the credential is valid and its ttl has not passed; stops at a refused turn. */
function sendQuietTurns(play: FleetPlay): void {
  const { agenda, memory, number, now } = play.desktop
  if (memory.isExcluded) return
  const goodUntil = Math.min(memory.expiresAt, play.provider.computeRevocation(memory.minted))
  const until = Math.min(goodUntil, computeDueAt(memory, play.timing), agenda.taskAt, play.endsAt)
  while (agenda.step === 'turn' && agenda.personAt < until && agenda.personAt >= now) {
    const at = agenda.personAt
    if (agenda.isRefusedAnyhow()) {
      startTurn(play, at, 'refused anyhow')
      playAfterRun(play, 'ok')
      break
    }
    play.observe(number, at, 'turn')
    play.counts.noteTurn(at, 0)
    play.observe(number, at, 'turn: sent')
    agenda.passStep()
  }
}

/** The desktops of a page. The last number of a page is the index of the next page. */
const pageLength = 15
const pageSize = pageLength + 1
const none = -1

/**
 * The desktops to simulate in each second; each desktop is queued at most once. They are stored in pages of one cache line each: a list
 * from desktop to desktop would have a cache miss for each.
 */
export class CalendarQueue {
  readonly #pages: Int32Array
  /** The last page of each second, and the number of desktops in it. */
  readonly #last: Int32Array
  readonly #filled: Uint8Array
  #free = 0

  constructor(seconds: number, desktops: number) {
    const pages = Math.ceil(desktops / pageLength) + Math.min(seconds, desktops)
    this.#pages = new Int32Array(pages * pageSize)
    for (let page = 0; page < pages; page += 1) this.#pages[page * pageSize + pageLength] = page + 1
    this.#last = new Int32Array(seconds).fill(none)
    this.#filled = new Uint8Array(seconds)
  }

  add(second: number, desktop: number): void {
    const last = this.#last[second]!
    const filled = this.#filled[second]!
    const page = last === none || filled === pageLength ? this.#addPage(second, last) : last
    const at = page === last ? filled : 0
    this.#pages[page * pageSize + at] = desktop
    this.#filled[second] = at + 1
  }

  /**
   * Removes desktops of a second from the queue, and writes their numbers into `batch`.
   * @returns their count; 0 if none are left.
   */
  take(second: number, batch: Int32Array): number {
    const page = this.#last[second]!
    if (page === none) return 0
    const filled = this.#filled[second]!
    const begin = page * pageSize
    for (let at = 0; at < filled; at += 1) batch[at] = this.#pages[begin + at]!
    this.#last[second] = this.#pages[begin + pageLength]!
    this.#filled[second] = pageLength
    this.#pages[begin + pageLength] = this.#free
    this.#free = page
    return filled
  }

  #addPage(second: number, before: number): number {
    const page = this.#free
    this.#free = this.#pages[page * pageSize + pageLength]!
    this.#pages[page * pageSize + pageLength] = before
    this.#last[second] = page
    return page
  }
}
