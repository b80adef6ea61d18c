import { HelperError } from '../../../runtime/failure.ts'
import { examineRedis, type RedisWarning, warnOfPlainConnection } from './examine-redis.ts'
import { openRedisConnection, type RedisConnection } from './open-redis-connection.ts'
import { RedisClosed } from './redis-errors.ts'
import type { RedisSettings } from './redis-settings.ts'

/** From the name lookup to the answers of the examination. */
const longestOpeningMs = 2_000

/**
 * Opens a connection on which a use would succeed now.
 * @param lose Called when it ends after that.
 */
export async function openExaminedConnection(
  settings: RedisSettings,
  lose: (connection: RedisConnection, reason: unknown) => void,
): Promise<{ readonly connection: RedisConnection; readonly warnings: readonly RedisWarning[] }> {
  const ending = new AbortController()
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined) // after the examination nobody waits for it
  const timer = setTimeout(() => {
    lost.reject(createLateFailure(settings))
    ending.abort()
  }, longestOpeningMs)
  let examined: RedisConnection | undefined
  const opening = openRedisConnection(
    settings,
    (reason) => {
      lost.reject(reason)
      if (examined) lose(examined, reason)
    },
    ending.signal,
  )
  try {
    const connection = await Promise.race([opening, lost.promise])
    const warnings = await Promise.race([examineRedis(connection, settings), lost.promise])
    examined = connection
    return { connection, warnings: [...warnings, ...warnOfPlainConnection(settings.address)] }
  } catch (error) {
    ending.abort()
    opening.then(
      (connection) => connection.close(),
      () => undefined,
    )
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function createLateFailure({ address }: RedisSettings): HelperError {
  return new HelperError(
    'unavailable',
    `Redis at ${address.name} has not answered within ${longestOpeningMs / 1000} s`,
    'look whether it runs, what listens there, and whether it wants TLS (rediss://) or none (redis://)',
    { cause: new RedisClosed('late') },
  )
}
