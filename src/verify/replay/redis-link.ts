import { HelperError } from '../../runtime/failure.ts'
import type { ReplayStoreReport } from './memory-replay-store.ts'
import { describeRedisFailure, isRefusal, openRedisConnection, type RedisConnection } from './open-redis-connection.ts'
import type { RedisSettings } from './redis-address.ts'

/**
 * Keeps one connection to Redis. A connection that worked and then ended, as an idle one does, is replaced at once, and uses wait
 * for its successor. While Redis cannot be reached, uses fail at once, and the link tries again with growing pauses.
 */
export class RedisLink {
  readonly #settings: RedisSettings
  readonly #report: (report: ReplayStoreReport) => void
  /** Pending while a connection is opened for waiting uses; rejected while Redis cannot be reached, also during the next attempt. */
  #connection: Promise<RedisConnection>
  #isAway = false
  #pauseMs = shortestPauseMs
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  /** The last state that was reported, and every warning. */
  #reported: string | undefined
  readonly #warned = new Set<string>()

  constructor(settings: RedisSettings, report: (report: ReplayStoreReport) => void) {
    this.#settings = settings
    this.#report = report
    this.#connection = this.#open()
  }

  /** @throws {HelperError} `unavailable` while Redis cannot be reached. */
  connection(): Promise<RedisConnection> {
    return this.#connection
  }

  /** Also true while a connection that worked is replaced. */
  isAvailable(): boolean {
    return this.#reported === 'available' && !this.#isAway
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#connection.then((connection) => connection.close(endingFailure)).catch(() => undefined) // nothing to close
    this.#setAway(endingFailure)
  }

  #open(): Promise<RedisConnection> {
    const opened = openRedisConnection(this.#settings).then(
      (connection) => {
        this.#begin(connection)
        return connection
      },
      (reason) => {
        throw this.#fail(reason)
      },
    )
    opened.catch(() => undefined) // the uses that wait for it get the error
    return opened
  }

  #begin(connection: RedisConnection): void {
    if (this.#isClosed) {
      connection.close(endingFailure)
      return
    }
    const since = performance.now()
    void connection.ended.then((reason) => this.#replace(performance.now() - since, reason))
    this.#connection = Promise.resolve(connection)
    this.#isAway = false
    if (this.#reported !== 'available') this.#report({ kind: 'available' })
    this.#reported = 'available'
    for (const warning of connection.warnings) {
      if (!this.#warned.has(warning.message)) this.#report({ kind: 'warning', ...warning })
      this.#warned.add(warning.message)
    }
  }

  /** @param reason A failure of a use means that the next connection would be no better now. */
  #replace(lifeMs: number, reason: unknown): void {
    if (this.#isClosed) return
    if (lifeMs > longLifeMs) this.#pauseMs = shortestPauseMs
    const isFailure = lifeMs < shortLifeMs || reason instanceof HelperError || isRefusal(reason)
    if (isFailure) this.#fail(reason)
    else this.#connection = this.#open()
  }

  #fail(reason: unknown): HelperError {
    const failure = describeRedisFailure(reason, this.#settings.address)
    if (this.#isClosed) return failure
    this.#setAway(failure)
    const { message, hint } = failure
    if (this.#reported !== message) this.#report({ kind: 'unavailable', message, hint })
    this.#reported = message
    // Half of the pause is random, so that verifiers that lost the same server come back at different moments.
    this.#timer = setTimeout(() => void this.#open(), this.#pauseMs * (0.5 + Math.random() / 2))
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
    return failure
  }

  #setAway(failure: HelperError): void {
    this.#isAway = true
    this.#connection = Promise.reject(failure)
    this.#connection.catch(() => undefined) // maybe no use asks for it
  }
}

const [shortestPauseMs, longestPauseMs] = [100, 5_000]

/** A connection that ended sooner counts as a failure; after one that lasted longer, the pauses begin anew. */
const [shortLifeMs, longLifeMs] = [1_000, 10_000]

const endingFailure = new HelperError('unavailable', 'the verifier is ending', 'start it again')
