import type { StartTimer } from '../session/turn.ts'

/** A clock that stands still until it is advanced; its timers fire while it advances. */
export class VirtualClock {
  #now: number
  readonly #timers = new Set<VirtualTimer>()

  constructor(startAt: number) {
    this.#now = startAt
  }

  readonly now = (): number => this.#now

  /** Starts a timer of the client. The clock is not advanced for it. */
  readonly startTimer: StartTimer = (ms, onTimeout) =>
    this.#set({ at: this.#now + ms, fire: onTimeout, isAwaited: false })

  /** Waits until the clock has advanced by `ms`. The clock is advanced for sleepers. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const stop = this.#set({ at: this.#now + ms, fire: resolve, isAwaited: true })
      signal?.addEventListener('abort', () => {
        stop()
        resolve()
      })
    })

  /** Computes when the first sleeper wakes up, in epoch milliseconds; `undefined` without sleepers. */
  nextAwaited(): number | undefined {
    const moments = [...this.#timers].filter(({ isAwaited }) => isAwaited).map(({ at }) => at)
    return moments.length > 0 ? Math.min(...moments) : undefined
  }

  /** Advances the clock; timers fire in order, each at its own time. */
  moveTo(moment: number): void {
    for (let timer = this.#next(moment); timer; timer = this.#next(moment)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.at)
      timer.fire()
    }
    this.#now = Math.max(this.#now, moment)
  }

  #set(timer: VirtualTimer): () => void {
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  #next(moment: number): VirtualTimer | undefined {
    return [...this.#timers].filter(({ at }) => at <= moment).sort((a, b) => a.at - b.at)[0]
  }
}

interface VirtualTimer {
  readonly at: number
  readonly fire: () => void
  readonly isAwaited: boolean
}
