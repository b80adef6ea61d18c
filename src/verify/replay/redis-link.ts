import { HelperError } from '../../runtime/failure.ts'
import { readAuthorities } from '../../runtime/network/trust.ts'
import type { ReplayStoreReport } from './memory-replay-store.ts'
import { describeRedisFailure, isRefusal, openRedisConnection, type RedisConnection } from './open-redis-connection.ts'
import type { RedisSettings } from './redis-address.ts'

/**
 * Opens a link for settings that can be used. If Redis cannot be reached, the link opens anyway: it reports the failure and tries again.
 * @throws {HelperError} for settings that cannot be used: the file of the password or of a certificate authority.
 */
export async function openRedisLink(
  settings: RedisSettings,
  report: (report: ReplayStoreReport) => void,
): Promise<RedisLink> {
  await settings.password()
  if (settings.address.place.transport === 'tls') await readAuthorities(settings.network, () => {})
  const link = new RedisLink(settings, report)
  await link.connection().catch(() => undefined) // the link has reported it
  return link
}

/**
 * Keeps one connection to Redis. When a connection that worked ends, as idle ones do, it is replaced at once, and uses wait for the new
 * one. While Redis cannot be reached, uses fail at once, and the link tries again with growing pauses.
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
  /** The last reported state, and every reported warning. */
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

  /** Returns true also while a working connection is replaced. */
  isAvailable(): boolean {
    return this.#reported === 'available' && !this.#isAway
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#connection.then((connection) => connection.close(endingFailure)).catch(() => undefined) // there is no connection to close
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
    opened.catch(() => undefined) // the waiting uses get the error
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

  /** @param reason If a use has failed, a new connection would probably fail too. */
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
    // Half of the pause is random, so that verifiers that lost the same server reconnect at different times.
    this.#timer = setTimeout(() => void this.#open(), this.#pauseMs * (0.5 + Math.random() / 2))
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
    return failure
  }

  #setAway(failure: HelperError): void {
    this.#isAway = true
    this.#connection = Promise.reject(failure)
    this.#connection.catch(() => undefined) // avoids an unhandled rejection while no use waits
  }
}

const [shortestPauseMs, longestPauseMs] = [100, 5_000]

/** A connection that ends sooner counts as a failure; after a longer one, the pauses start again from the shortest. */
const [shortLifeMs, longLifeMs] = [1_000, 10_000]

const endingFailure = new HelperError('unavailable', 'the verifier is ending', 'start it again')
