import { HelperError } from '../../../runtime/failure.ts'
import type { RedisConnection } from './open-redis-connection.ts'
import { RedisRefusal } from './redis-errors.ts'

/** One use of one token. */
export interface TokenUse {
  readonly key: string
  /** Of this use alone, so that its own value is recognized after an answer was lost. */
  readonly value: string
  readonly lifeMs: number
  /** Whether the value may stand in Redis: it was sent, and no answer has come. */
  uncertain: boolean
}

/**
 * Writes the value of a use where there is none. This one command decides which of many uses is the first; the value is read
 * only where an earlier command of the same use may have been executed without an answer.
 * @throws {HelperError} for an answer that is none, or what `connection` throws.
 */
export async function recordUse(connection: RedisConnection, use: TokenUse): Promise<'first' | 'again'> {
  const sentBefore = use.uncertain
  use.uncertain = true
  const reply = await connection
    .send(['SET', use.key, use.value, 'NX', 'PX', String(use.lifeMs)])
    .catch((error: unknown) => {
      if (error instanceof RedisRefusal) use.uncertain = sentBefore
      throw error
    })
  if (reply === 'OK') return 'first'
  if (reply !== null) throw createForeignAnswer()
  if (!sentBefore) return 'again'
  return (await connection.send(['GET', use.key])) === use.value ? 'first' : 'again'
}

function createForeignAnswer(): HelperError {
  return new HelperError('unavailable', 'Redis answered SET as no Redis does', 'look what listens at its address')
}
