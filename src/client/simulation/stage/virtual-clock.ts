import type { StartTimer } from '../../turn/turn.ts'

/** A time that stands still until it is moved, with timers that ring on the way. */
export class VirtualClock {
  #now: number
  readonly #alarms = new Set<Alarm>()

  constructor(startAt: number) {
    this.#now = startAt
  }

  readonly now = (): number => this.#now

  /** A timer of the client: it rings when the time is moved past it, and nobody moves the time for its sake. */
  readonly startTimer: StartTimer = (ms, ring) => this.#set({ at: this.#now + ms, ring, isAwaited: false })

  /** Waits for the time to be moved; whoever moves it does so for the sake of those that wait. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const stop = this.#set({ at: this.#now + ms, ring: resolve, isAwaited: true })
      signal?.addEventListener('abort', () => {
        stop()
        resolve()
      })
    })

  /** When the first of those that wait goes on; `undefined` when nobody waits. */
  nextAwaited(): number | undefined {
    const moments = [...this.#alarms].filter(({ isAwaited }) => isAwaited).map(({ at }) => at)
    return moments.length > 0 ? Math.min(...moments) : undefined
  }

  /** Moves the time forward; alarms ring in their order, each at its own moment. */
  advanceTo(moment: number): void {
    for (let alarm = this.#next(moment); alarm; alarm = this.#next(moment)) {
      this.#alarms.delete(alarm)
      this.#now = Math.max(this.#now, alarm.at)
      alarm.ring()
    }
    this.#now = Math.max(this.#now, moment)
  }

  #set(alarm: Alarm): () => void {
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  #next(moment: number): Alarm | undefined {
    return [...this.#alarms].filter(({ at }) => at <= moment).sort((a, b) => a.at - b.at)[0]
  }
}

interface Alarm {
  readonly at: number
  readonly ring: () => void
  readonly isAwaited: boolean
}
