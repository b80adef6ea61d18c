import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from './failure.ts'

/** The clocks of a process. Times are milliseconds; those since the epoch come from the system's clock, which may be set at any moment. */
export interface Clock {
  now(): number
  /** When this process started. */
  readonly startedAt: number
  /** How long this process has been running; setting the clock does not change it. */
  elapsedMs(): number
  /** When this machine started, by the system's clock, so that the value changes when the clock is set. Absent if it is not known. */
  readonly bootedAt?: number
  /** Waits for this many milliseconds, or until the signal aborts; absent: by a timer of the system. */
  pause?(ms: number, signal: AbortSignal): Promise<void>
}

/** The length of a call, and how to raise it, for the message of a stage that took too long. */
export interface Limit {
  readonly seconds: number
  /** How to raise the limit, in the imperative. */
  readonly hint: string
  /** The length of the wait for the message; absent: the length of the call. */
  readonly words?: string
}

/** The kinds of stages that a call waits for. It is a closed set, because the words for people name files, hosts and programs. */
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

/** The name of the stage in which a helper asks its source, in messages and in the log. */
export const mintStage = 'getting a token'

/** A kind of stage. The outcome of a late call has only this. */
export type StageKind = (typeof stageKinds)[number]

/**
 * The moment by which a call must have ended. It is counted from the start of the process, as the client counts it, and not by the
 * system's clock, which may be set during the call. Everything that can wait is awaited through {@link Deadline.during}, so that the
 * message can name what took too long.
 */
export class Deadline {
  readonly limit: Limit
  /** The later deadline from which this one was made, for work that would be lost if it were abandoned; otherwise this deadline itself. */
  readonly whole: Deadline
  readonly #clock: Pick<Clock, 'elapsedMs' | 'pause'>
  readonly #observe: ObserveStage
  /** Stages that have begun and not ended, the outer before the inner. */
  #stages: StageInProgress[] = []
  #late: StageKind | undefined
  #noteLate = (_: StageKind | undefined): void => {}
  /** Shared by all deadlines that are made from one. */
  #asked = { pauseMs: 0 }

  constructor(
    limit: Limit,
    clock: Pick<Clock, 'elapsedMs' | 'pause'>,
    observe: ObserveStage = () => {},
    whole?: Deadline,
  ) {
    this.limit = limit
    this.whole = whole ?? this
    this.#clock = clock
    this.#observe = observe
  }

  /**
   * Returns an earlier deadline for work that the call can do without: this number of seconds from now, and never later than this deadline.
   * Work that would be lost if it were abandoned, such as a request that uses up a token, waits for {@link Deadline.whole}.
   * @param hint Replaces the call's own hint, if that does not help against the shorter wait.
   */
  shorten(seconds: number, hint = this.limit.hint): Deadline {
    const end = this.#clock.elapsedMs() / 1000 + seconds
    const limit = end < this.limit.seconds ? { seconds: end, hint, words: `${seconds} s` } : this.limit
    const earlier = new Deadline(limit, this.#clock, this.#observe, this)
    earlier.#asked = this.#asked
    return earlier
  }

  /**
   * Returns an earlier deadline that leaves this number of seconds for later work. Its message names the length of the call; this
   * deadline's {@link Deadline.late} is the stage that was waiting.
   */
  leave(seconds: number): Deadline {
    const words = this.limit.words ?? describeCall(this.limit)
    const earlier = new Deadline(
      { ...this.limit, words, seconds: this.limit.seconds - seconds },
      this.#clock,
      this.#observe,
    )
    earlier.#asked = this.#asked
    earlier.#noteLate = (kind) => {
      this.#late ??= kind
    }
    return earlier
  }

  /** Returns this deadline if it is at most this number of seconds away, otherwise an earlier one. */
  withAtMost(seconds: number): Deadline {
    return this.remainingMs() <= seconds * 1000 ? this : this.shorten(seconds)
  }

  /** Returns whether the deadline has passed, so that some work may never end. */
  isOver(): boolean {
    return this.remainingMs() === 0
  }

  /** Names the stage that the call was waiting for when the deadline passed; `undefined` if it waited for nothing. */
  get late(): StageKind | undefined {
    return this.#late
  }

  /** Describes the innermost stage that the call waits for now; `undefined` if there is none. */
  describeStage(): string | undefined {
    const { name } = this.#stages.at(-1) ?? {}
    return name && renderStage(name)
  }

  /** Milliseconds until the deadline; 0 after it. */
  remainingMs(): number {
    return Math.max(0, this.limit.seconds * 1000 - this.#clock.elapsedMs())
  }

  /** Returns the longest pause before a request is repeated, in milliseconds; 0 for work that the call can do without. */
  longestPauseMs(): number {
    return this.whole === this ? this.remainingMs() : 0
  }

  /** Records that a server has asked for a longer pause than the call allows. */
  noteAskedPause(ms: number): void {
    this.#asked.pauseMs = Math.max(this.#asked.pauseMs, ms)
  }

  /** Returns the longest pause that was recorded, in milliseconds; 0 if no pause was recorded. */
  get askedPauseMs(): number {
    return this.#asked.pauseMs
  }

  /**
   * Waits for `work`, at most until the deadline. Stages nest, and the message names the innermost.
   * @param kind The kind of the stage for outcomes, without the name of a file, a host or a program.
   * @param stage The subject of "took longer than the 58 s of this call".
   * @throws {HelperError} `late`; the signal for `work` is aborted then.
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
      // Every stage is ended, because the timer of an inner one may fire a moment later, when the process has ended.
      for (const each of this.#stages) each.end(failure)
    }, Math.ceil(this.remainingMs()) + 1) // a timer counts from the start of its turn, and may fire a moment early
    try {
      return await Promise.race([work(own), late])
    } finally {
      clearTimeout(timer)
      this.#stages = this.#stages.filter((other) => other !== own)
      this.#observe(renderStage(stage), this.#clock.elapsedMs() - begin)
    }
  }

  /** Waits for this many milliseconds before something is done again. @throws {HelperError} `late` */
  pause(kind: StageKind, stage: string, ms: number): Promise<void> {
    return this.during(kind, stage, ({ signal }) => this.#clock.pause?.(ms, signal) ?? sleep(ms, undefined, { signal }))
  }

  #toFailure(): HelperError {
    const { hint, words = describeCall(this.limit) } = this.limit
    const { kind, name = '' } = this.#stages.at(-1) ?? {}
    this.#late ??= kind
    this.#noteLate(kind)
    return new HelperError('late', `${renderStage(name)} took longer than ${words}`, hint)
  }
}

/** The stage's name in messages; a function if it changes meanwhile. */
type Stage = string | (() => string)

/** Receives every stage when it has ended, successfully or not. */
type ObserveStage = (stage: string, ms: number) => void

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
    return this.#ensureAborter().signal
  }

  /** Rejects the wait before the work is aborted, because the work's own message would not name the deadline. */
  end(failure: HelperError): void {
    this.#reject(failure)
    this.#ensureAborter().abort()
  }

  /** Creates the controller on first use, because a call that is served from the cache needs none. */
  #ensureAborter(): AbortController {
    this.#aborter ??= new AbortController()
    return this.#aborter
  }
}

function describeCall({ seconds }: Limit): string {
  return `the ${seconds} s of this call`
}

function renderStage(stage: Stage): string {
  return typeof stage === 'function' ? stage() : stage
}
