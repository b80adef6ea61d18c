import { HelperError } from './failure.ts'

/** Times in milliseconds. Those since the epoch come from the system's clock, which may be set at any moment. */
export interface Clock {
  now(): number
  /** When this process started. */
  readonly startedAt: number
  /** How long this process has been running; setting the clock does not change it. */
  elapsedMs(): number
  /** When this machine started, by its clock: it moves when the clock is set. `undefined` where it is not known. */
  readonly bootedAt?: number
}

/** The length of a call, and how to raise it, for the message of a stage that took longer. */
export interface Limit {
  readonly seconds: number
  /** Imperative. */
  readonly hint: string
  /** How long is waited, in words, where that is less than the length of the call. */
  readonly words?: string
}

/** What a call can wait for too long: a closed set, because the words for people name files, hosts and programs. */
export const stageKinds = [
  'configuration',
  'cache',
  'lock',
  'keychain',
  'file',
  'network',
  'program',
  'sign-in',
  'input',
  'output',
  'mint',
] as const

/** A kind of stage, by which operations learn what was late and nothing else. */
export type StageKind = (typeof stageKinds)[number]

/** What is waited for, in words; a function where it changes while it is waited for. */
export type Stage = string | (() => string)

/** Receives every stage when it has ended, successfully or not. */
type ObserveStage = (stage: string, ms: number) => void

/**
 * The moment by which a call must have ended. It is counted from the start of the process, because the client counts from
 * there, and not by the system's clock, which may be set during the call. Everything that can wait is awaited through
 * {@link Deadline.during}, so that the message can name what took too long.
 */
export class Deadline {
  readonly limit: Limit
  /** The later one that this one was made from, for work that would be lost if it were given up; otherwise this one itself. */
  readonly whole: Deadline
  readonly #clock: Pick<Clock, 'elapsedMs'>
  readonly #observe: ObserveStage
  /** Stages that have begun and not ended, the outer before the inner. */
  #stages: StageInProgress[] = []
  #late: StageKind | undefined

  constructor(limit: Limit, clock: Pick<Clock, 'elapsedMs'>, observe: ObserveStage = () => {}, whole?: Deadline) {
    this.limit = limit
    this.whole = whole ?? this
    this.#clock = clock
    this.#observe = observe
  }

  /**
   * An earlier one for work that the call can do without: so many seconds from now, and never later than this one. What would be
   * lost if it were given up in the middle, such as a request that uses up a token, waits for {@link Deadline.whole}.
   * @param hint Where the one of the call does not help against the shorter wait.
   */
  shorten(seconds: number, hint = this.limit.hint): Deadline {
    const end = this.#clock.elapsedMs() / 1000 + seconds
    const limit = end < this.limit.seconds ? { seconds: end, hint, words: `${seconds} s` } : this.limit
    return new Deadline(limit, this.#clock, this.#observe, this)
  }

  /** Itself where it comes within so many seconds from now, otherwise an earlier one. */
  atMost(seconds: number): Deadline {
    return this.remainingMs() <= seconds * 1000 ? this : this.shorten(seconds)
  }

  /** Whether it has passed, so that some work may never end. */
  isOver(): boolean {
    return this.remainingMs() === 0
  }

  /** What was waited for when it passed; `undefined` where nothing was. */
  get late(): StageKind | undefined {
    return this.#late
  }

  /** Milliseconds until the deadline; 0 after it. */
  remainingMs(): number {
    return Math.max(0, this.limit.seconds * 1000 - this.#clock.elapsedMs())
  }

  /** The longest pause before a request is sent once more, in milliseconds: none for work that the call can do without. */
  longestPauseMs(): number {
    return this.whole === this ? this.remainingMs() : 0
  }

  /**
   * Waits for `work`, at most until the deadline. Stages nest, and the message names the innermost.
   * @param kind The same for operations, who are told no name of a file, a host or a program.
   * @param stage Reads as the subject of "took longer than the 58 s of this call".
   * @throws {HelperError} `late`; the signal that `work` was given is aborted then.
   */
  async during<T>(
    kind: StageKind,
    stage: Stage,
    work: (wait: { readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const own = new StageInProgress(kind, stage, reject)
    const begin = this.#clock.elapsedMs()
    this.#stages.push(own)
    const timer = setTimeout(() => {
      const failure = this.#toFailure()
      // Every stage ends: the timer of an inner one may fire a moment later, when the process has ended.
      for (const each of this.#stages) each.end(failure)
    }, this.remainingMs())
    try {
      return await Promise.race([work(own), late])
    } finally {
      clearTimeout(timer)
      this.#stages = this.#stages.filter((other) => other !== own)
      this.#observe(resolveText(stage), this.#clock.elapsedMs() - begin)
    }
  }

  #toFailure(): HelperError {
    const { seconds, hint, words = `the ${seconds} s of this call` } = this.limit
    const { kind, name = '' } = this.#stages.at(-1) ?? {}
    this.#late ??= kind
    return new HelperError('late', `${resolveText(name)} took longer than ${words}`, hint)
  }
}

/** A stage that has begun and not ended. */
class StageInProgress {
  readonly kind: StageKind
  readonly name: Stage
  readonly #reject: (failure: HelperError) => void
  #aborter: AbortController | undefined

  constructor(kind: StageKind, name: Stage, reject: (failure: HelperError) => void) {
    this.kind = kind
    this.name = name
    this.#reject = reject
  }

  get signal(): AbortSignal {
    return this.#getAborter().signal
  }

  /** Before its work is aborted, whose own words for that say nothing of the deadline. */
  end(failure: HelperError): void {
    this.#reject(failure)
    this.#getAborter().abort()
  }

  /** Created on first use, because a call that is served from the cache uses none. */
  #getAborter(): AbortController {
    this.#aborter ??= new AbortController()
    return this.#aborter
  }
}

function resolveText(stage: Stage): string {
  return typeof stage === 'function' ? stage() : stage
}
