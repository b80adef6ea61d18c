import { HelperError } from './failure.ts'

/** Times in milliseconds. Those since the epoch are the system's, which somebody may set meanwhile. */
export interface Clock {
  now(): number
  /** When this process started. */
  readonly startedAt: number
  /** How long this process has been at work; setting the clock does not change it. */
  elapsedMs(): number
  /** When this machine started: it moves when the clock is set. `undefined` where nobody knows. */
  readonly bootedAt?: number
}

/** Names the limit and the way to raise it, for the message of a stage that ran into it. */
export interface Limit {
  readonly seconds: number
  readonly hint: string
}

/** Who or what is waited for; a function where it is known only later. */
export type Stage = string | (() => string)

/** Is told of every stage when it has ended, however it did. */
export type ObserveStage = (stage: string, ms: number) => void

/**
 * The moment by which a call must have ended. Counted from the start of the process, because the client counts from
 * there, and not by the system's clock, which may be set while we wait. Everything that can wait is awaited through
 * {@link Deadline.during}, which knows the stage to name.
 */
export class Deadline {
  readonly limit: Limit
  readonly #clock: Pick<Clock, 'elapsedMs'>
  readonly #observe: ObserveStage
  /** Stages under way, the outer before the inner. */
  #stages: Wait[] = []

  constructor(limit: Limit, clock: Pick<Clock, 'elapsedMs'>, observe: ObserveStage = () => {}) {
    this.limit = limit
    this.#clock = clock
    this.#observe = observe
  }

  /** Whether it has passed, so that something may have been left waiting. */
  isOver(): boolean {
    return this.remainingMs() === 0
  }

  remainingMs(): number {
    return Math.max(0, this.limit.seconds * 1000 - this.#clock.elapsedMs())
  }

  /**
   * Waits for `work`, at most until the deadline. `stage` reads as the subject of "took longer than 58 s". Stages nest;
   * the innermost one says what the call waited for.
   * @throws {HelperError} `late`; the signal of the wait given to `work` is aborted then.
   */
  async during<T>(stage: Stage, work: (wait: Pick<Wait, 'signal'>) => Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const own = new Wait(stage)
    const begin = this.#clock.elapsedMs()
    this.#stages.push(own)
    const timer = setTimeout(() => {
      reject(this.#lateness())
      // All, because the timer of an inner stage may come a moment later, and the process may have ended by then.
      for (const late of this.#stages) late.abort()
    }, this.remainingMs())
    try {
      return await Promise.race([work(own), late])
    } finally {
      clearTimeout(timer)
      this.#stages = this.#stages.filter((other) => other !== own)
      this.#observe(textOf(stage), this.#clock.elapsedMs() - begin)
    }
  }

  #lateness(): HelperError {
    const { seconds, hint } = this.limit
    const stage = this.#stages.at(-1)?.name ?? ''
    return new HelperError('late', `${textOf(stage)} took longer than the ${seconds} s of this call`, hint)
  }
}

/** A stage under way. */
class Wait {
  readonly name: Stage
  #aborter: AbortController | undefined

  constructor(name: Stage) {
    this.name = name
  }

  get signal(): AbortSignal {
    return this.#getAborter().signal
  }

  abort(): void {
    this.#getAborter().abort()
  }

  /** Made when it is asked for: no stage of a call from the cache asks. */
  #getAborter(): AbortController {
    this.#aborter ??= new AbortController()
    return this.#aborter
  }
}

function textOf(stage: Stage): string {
  return typeof stage === 'function' ? stage() : stage
}
