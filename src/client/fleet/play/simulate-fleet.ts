import type { ObserveFleet } from '../fleet-event.ts'
import type { FleetResult } from '../fleet-result.ts'
import type { FleetChoice, FleetSettings } from '../fleet-settings.ts'
import { CalendarQueue, pageLength } from './calendar-queue.ts'
import { createFleetPlay, type FleetPlay } from './fleet-play.ts'
import { playDesktop } from './play-desktop.ts'

/** Who is told of a simulation while it runs, and what is given to it in place of random numbers. */
export interface FleetOptions {
  /** Receives the part of the time that has passed, from 0 to 1, a few hundred times. */
  readonly onProgress?: (part: number) => void
  readonly observe?: ObserveFleet
  /** By which part of the longest time a desktop renews a token early, asked at each of its mints; random by default. */
  readonly findFraction?: (desktop: number) => number
}

/**
 * Plays the days of a fleet and counts the last one. Desktops are independent but for the provider that they share: each is played
 * ahead until it asks the provider, and all requests are played in the order of their seconds.
 */
export function simulateFleet(
  settings: FleetSettings,
  choice: FleetChoice,
  { onProgress = () => {}, observe = () => {}, findFraction }: FleetOptions = {},
): FleetResult {
  const play = createFleetPlay(settings, choice, { observe, findFraction })
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
