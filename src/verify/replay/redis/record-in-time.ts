import { HelperError } from '../../../runtime/failure.ts'
import type { RedisConnection } from './open-redis-connection.ts'
import { recordUse, type TokenUse } from './record-use.ts'
import { RedisRefusal } from './redis-errors.ts'
import type { RedisLink } from './redis-link.ts'

/**
 * Records a use within a bound, once more where the connection ended meanwhile. A connection that did not answer in time, or
 * with an error, is given up: what arrives on it later reaches nobody.
 */
export async function recordInTime(link: RedisLink, use: TokenUse, waitMs: number): Promise<'first' | 'again'> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const attempts = new Attempts(link, use)
  const timer = setTimeout(() => {
    const failure = createLateFailure(waitMs)
    attempts.stop(failure)
    reject(failure)
  }, waitMs)
  try {
    return await Promise.race([attempts.run(), late])
  } finally {
    clearTimeout(timer)
  }
}

class Attempts {
  readonly #link: RedisLink
  readonly #use: TokenUse
  #connection: RedisConnection | undefined
  #stopped: HelperError | undefined

  constructor(link: RedisLink, use: TokenUse) {
    this.#link = link
    this.#use = use
  }

  async run(): Promise<'first' | 'again'> {
    try {
      return await this.#once()
    } catch (error) {
      const connection = this.#connection
      if (connection === undefined || error instanceof HelperError || error instanceof RedisRefusal)
        throw this.#giveUp(error)
      this.#link.lose(connection, error)
    }
    return this.#once().catch((error) => {
      throw this.#giveUp(error)
    })
  }

  stop(failure: HelperError): void {
    this.#stopped = failure
    this.#giveUp(failure)
  }

  async #once(): Promise<'first' | 'again'> {
    this.#connection = undefined
    const connection = await this.#link.connection()
    // Nothing is sent for a use that was refused meanwhile.
    if (this.#stopped) throw this.#stopped
    this.#connection = connection
    return recordUse(connection, this.#use)
  }

  #giveUp(error: unknown): unknown {
    if (this.#connection) this.#link.drop(this.#connection, error)
    return error
  }
}

function createLateFailure(waitMs: number): HelperError {
  return new HelperError(
    'unavailable',
    `Redis has not answered within ${waitMs} ms`,
    'look whether it runs, is overloaded or far away',
  )
}
