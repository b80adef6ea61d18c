import { HelperError } from '../../../runtime/failure.ts'
import type { ReplayStoreReport } from '../replay-store.ts'
import { describeRedisFailure } from './describe-redis-failure.ts'
import { openExaminedConnection } from './open-examined-connection.ts'
import type { RedisConnection } from './open-redis-connection.ts'
import type { RedisSettings } from './redis-settings.ts'

const [shortestPauseMs, longestPauseMs] = [100, 5_000]

/** A connection that ended sooner was not good; one that lasted longer was, and the pauses begin anew. */
const [shortLifeMs, longLifeMs] = [1_000, 10_000]

type LinkState =
  | { readonly kind: 'opening'; readonly opened: Promise<RedisConnection> }
  | { readonly kind: 'open'; readonly connection: RedisConnection; readonly since: number }
  | { readonly kind: 'away'; readonly failure: HelperError }

/**
 * Keeps one connection to Redis. One that was good and ended, as an idle one does, is opened again at once, and uses wait for
 * that; while Redis is away uses fail at once, and it is tried again with growing pauses until it is back.
 */
export class RedisLink {
  readonly #settings: RedisSettings
  readonly #report: (report: ReplayStoreReport) => void
  #state: LinkState
  #pauseMs = shortestPauseMs
  #timer: NodeJS.Timeout | undefined
  #closed = false
  /** What was said last, and every warning. */
  #said: string | undefined
  readonly #warned = new Set<string>()

  constructor(settings: RedisSettings, report: (report: ReplayStoreReport) => void) {
    this.#settings = settings
    this.#report = report
    this.#state = { kind: 'opening', opened: this.#open() }
  }

  /** @throws {HelperError} `unavailable` while Redis is away. */
  async connection(): Promise<RedisConnection> {
    const state = this.#state
    if (state.kind === 'away') throw state.failure
    return state.kind === 'open' ? state.connection : state.opened
  }

  /** Also while a connection that was good is opened again. */
  isAvailable(): boolean {
    return this.#said === 'available' && this.#state.kind !== 'away'
  }

  /** Gives up a connection on which a use failed. Whatever waits for an answer on it fails as well, and may ask once more. */
  drop(connection: RedisConnection, reason: unknown): void {
    if (!this.#has(connection)) return
    this.#rest()
    this.#fail(describeRedisFailure(reason, this.#settings.address))
    connection.close()
  }

  /** Takes note that a connection has ended by itself. */
  lose(connection: RedisConnection, reason: unknown): void {
    if (!this.#has(connection)) return
    const lifeMs = this.#rest()
    if (lifeMs < shortLifeMs) this.#fail(describeRedisFailure(reason, this.#settings.address))
    else this.#state = { kind: 'opening', opened: this.#open() }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    const state = this.#state
    this.#state = { kind: 'away', failure: new HelperError('unavailable', 'the verifier is ending', 'start it again') }
    if (state.kind === 'open') state.connection.close()
  }

  #open(): Promise<RedisConnection> {
    const lose = (lost: RedisConnection, reason: unknown) => this.lose(lost, reason)
    const opened = openExaminedConnection(this.#settings, lose).then(
      ({ connection, warnings }) => {
        if (this.#closed) connection.close()
        else this.#begin(connection)
        for (const warning of warnings) this.#warn(warning)
        return connection
      },
      (reason) => {
        throw this.#fail(describeRedisFailure(reason, this.#settings.address))
      },
    )
    opened.catch(() => undefined) // uses that wait for it get the error
    return opened
  }

  #begin(connection: RedisConnection): void {
    this.#state = { kind: 'open', connection, since: performance.now() }
    if (this.#said !== 'available') this.#report({ kind: 'available' })
    this.#said = 'available'
  }

  #has(connection: RedisConnection): boolean {
    return this.#state.kind === 'open' && this.#state.connection === connection
  }

  /** How long the connection lived that ends now. */
  #rest(): number {
    const lifeMs = this.#state.kind === 'open' ? performance.now() - this.#state.since : 0
    if (lifeMs > longLifeMs) this.#pauseMs = shortestPauseMs
    return lifeMs
  }

  #fail(failure: HelperError): HelperError {
    if (this.#closed) return failure
    this.#state = { kind: 'away', failure }
    if (this.#said !== failure.message)
      this.#report({ kind: 'unavailable', message: failure.message, hint: failure.hint })
    this.#said = failure.message
    clearTimeout(this.#timer)
    // Verifiers that lost the same server come back at different moments.
    this.#timer = setTimeout(() => void this.#open(), this.#pauseMs * (0.5 + Math.random() / 2))
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
    return failure
  }

  #warn(warning: { readonly message: string; readonly hint: string }): void {
    if (this.#warned.has(warning.message)) return
    this.#warned.add(warning.message)
    this.#report({ kind: 'warning', ...warning })
  }
}
