import { type BlockCause, blockCauses, dayMinutes, type StartCause } from './configuration-day.ts'

/** Counts the events of the counted day; times are milliseconds since its beginning. */
export class DayCounts {
  readonly starts: Record<StartCause, number> = {
    morning: 0,
    'own-restart': 0,
    'enforced-restart': 0,
    'not-working': 0,
  }
  people = 0
  turns = 0
  lostTurns = 0
  readonly #blocked: Readonly<Record<BlockCause, number[]>> = createByCause(() => [])
  readonly #blockedByRestart: number[] = []
  /** The changes of the numbers from minute to minute. Each time that a person is blocked counts once in a minute. */
  readonly #blockedChanges: Readonly<Record<BlockCause, Int32Array>> = createByCause(
    () => new Int32Array(dayMinutes + 1),
  )
  readonly #clientChanges: readonly Int32Array[]
  /** How long the present person was blocked. */
  readonly #blockedMsOfPerson: Record<BlockCause, number> = createByCause(() => 0)
  #turnsOfPerson = 0

  /** @param releases The number of releases. */
  constructor(releases: number) {
    this.#clientChanges = Array.from({ length: releases + 1 }, () => new Int32Array(dayMinutes + 1))
  }

  noteStart(cause: StartCause, at: number): void {
    if (isOnDay(at)) this.starts[cause] += 1
  }

  noteTurn(at: number, outcome: 'sent' | 'lost'): void {
    if (!isOnDay(at)) return
    this.#turnsOfPerson += 1
    this.turns += 1
    if (outcome === 'lost') this.lostTurns += 1
  }

  noteBlocked(cause: BlockCause, from: number, to: number): void {
    const [begin, end] = [Math.max(0, from), Math.min(dayMinutes * minuteMs, to)]
    if (begin >= end) return
    this.#blockedMsOfPerson[cause] += end - begin
    const changes = this.#blockedChanges[cause]
    changes[Math.floor(begin / minuteMs)]! += 1
    changes[Math.ceil(end / minuteMs)]! -= 1
  }

  /**
   * Counts a client in each minute at whose beginning it was open.
   * @param release 0 for a client without a document.
   */
  noteClient(release: number, from: number, to: number): void {
    const begin = toMinute(from)
    const end = toMinute(to)
    if (begin >= end) return
    this.#clientChanges[release]![begin]! += 1
    this.#clientChanges[release]![end]! -= 1
  }

  endPerson(): void {
    if (this.#turnsOfPerson > 0) this.people += 1
    this.#turnsOfPerson = 0
    const byRestart = this.#blockedMsOfPerson['own-restart'] + this.#blockedMsOfPerson['enforced-restart']
    if (byRestart > 0) this.#blockedByRestart.push(byRestart)
    for (const cause of blockCauses) {
      if (this.#blockedMsOfPerson[cause] > 0) this.#blocked[cause].push(this.#blockedMsOfPerson[cause])
      this.#blockedMsOfPerson[cause] = 0
    }
  }

  sortBlocked(): Record<BlockCause, Float64Array> {
    return createByCause((cause) => Float64Array.from(this.#blocked[cause]).sort())
  }

  sortBlockedByRestart(): Float64Array {
    return Float64Array.from(this.#blockedByRestart).sort()
  }

  countBlockedPerMinute(): Record<BlockCause, Int32Array> {
    return createByCause((cause) => computeLevels(this.#blockedChanges[cause]))
  }

  countClientsPerMinute(): Int32Array[] {
    return this.#clientChanges.map(computeLevels)
  }
}

const minuteMs = 60_000

function createByCause<Value>(create: (cause: BlockCause) => Value): Record<BlockCause, Value> {
  return Object.fromEntries(blockCauses.map((cause) => [cause, create(cause)])) as Record<BlockCause, Value> // each cause has its value
}

function isOnDay(at: number): boolean {
  return at >= 0 && at < dayMinutes * minuteMs
}

/** Returns the first minute that begins at or after a time. */
function toMinute(at: number): number {
  return Math.min(dayMinutes, Math.max(0, Math.ceil(at / minuteMs)))
}

function computeLevels(changes: Int32Array): Int32Array {
  const levels = changes.slice(0, dayMinutes)
  for (let minute = 1; minute < dayMinutes; minute += 1) levels[minute]! += levels[minute - 1]!
  return levels
}
