import { randomBytes } from 'node:crypto'
import { HelperError } from '../../runtime/failure.ts'
import { TokenRefusal } from '../verdict.ts'
import { longestOutliveMs, type ReplayStore, type ReplayStoreReport } from './memory-replay-store.ts'
import {
  createReplyFailure,
  describeRedisFailure,
  isRefusal,
  type RedisConnection,
  waitForRedis,
} from './open-redis-connection.ts'
import type { RedisSettings } from './redis-address.ts'
import { openRedisLink, type RedisLink } from './redis-link.ts'

/**
 * Opens a store that several verifiers share through Redis or Valkey. If Redis cannot be reached, the store opens anyway, refuses tokens
 * until Redis answers, and reports both.
 * @throws {HelperError} for settings that cannot be used: the file of the password or of a certificate authority.
 */
export async function openRedisReplayStore(
  settings: RedisSettings,
  { now, report }: { readonly now: () => number; readonly report: (report: ReplayStoreReport) => void },
): Promise<ReplayStore> {
  const link = await openRedisLink(settings, report)
  const unanswered = new Map<string, string>()
  return {
    use: (digest, until) => recordToken(link, unanswered, settings, { digest, lifeMs: until - now() }),
    isAvailable: () => link.isAvailable(),
    close: async () => link.close(),
  }
}

/** The most values that are kept. If there are more, a repeated request with the oldest value's token is refused as used. */
const maxUnanswered = 10_000

/**
 * Records the use of a token.
 * @param unanswered The value of each use that got no reply, by digest. Its caller got an error and sends the token again: if Redis holds
 * this value, nobody else has used the token. An entry is removed when it is read, so that only one of several concurrent uses gets it.
 */
async function recordToken(
  link: RedisLink,
  unanswered: Map<string, string>,
  { prefix, waitMs, address }: RedisSettings,
  { digest, lifeMs }: { readonly digest: string; readonly lifeMs: number },
): Promise<'first' | 'again'> {
  const earlier = unanswered.get(digest)
  unanswered.delete(digest)
  const use: TokenUse = {
    key: `${prefix}${digest}`,
    value: earlier ?? randomBytes(12).toString('base64url'),
    lifeMs: Math.ceil(Math.max(lifeMs, 0)) + longestOutliveMs, // a duration, so that the clock of Redis does not matter
    isUncertain: earlier !== undefined,
  }
  try {
    return await waitForRedis(waitMs, (late) => record(link, use, late))
  } catch (cause) {
    if (use.isUncertain) unanswered.set(digest, use.value)
    const [oldest = ''] = unanswered.keys()
    if (unanswered.size > maxUnanswered) unanswered.delete(oldest)
    const { message } = describeRedisFailure(cause, address)
    throw new TokenRefusal('replay-store-unavailable', { note: message, cause })
  }
}

interface TokenUse {
  readonly key: string
  /** A value that is unique to this use, to recognize the use after a lost reply. */
  readonly value: string
  readonly lifeMs: number
  /** Whether Redis may hold the value: it was sent and got no reply. */
  isUncertain: boolean
}

/**
 * Records a use, and tries once more if the connection ends meanwhile. A connection with a late reply or an error is closed, so that late
 * replies are ignored.
 */
async function record(link: RedisLink, use: TokenUse, late: AbortSignal): Promise<'first' | 'again'> {
  for (let attempt = 1; ; attempt += 1) {
    const connection = await link.connection()
    late.throwIfAborted() // a use that was already refused sends nothing
    const close = () => connection.close(late.reason)
    late.addEventListener('abort', close)
    try {
      return await recordOn(connection, use)
    } catch (error) {
      connection.close(error)
      await connection.ended // afterwards the link has a new connection
      if (attempt > 1 || error instanceof HelperError || isRefusal(error)) throw error
    } finally {
      late.removeEventListener('abort', close)
    }
  }
}

/**
 * Sets the value of a use unless there is a value. This command alone decides which of many uses is the first. The value is read only if an
 * earlier command of this use may have been executed without a reply.
 */
async function recordOn(connection: RedisConnection, use: TokenUse): Promise<'first' | 'again'> {
  const wasUncertain = use.isUncertain
  use.isUncertain = true
  const reply = await connection
    .send(['SET', use.key, use.value, 'NX', 'PX', String(use.lifeMs)])
    .catch((error: unknown) => {
      if (isRefusal(error)) use.isUncertain = wasUncertain
      throw error
    })
  if (reply === 'OK') return 'first'
  if (reply !== null) throw createReplyFailure('the answer to SET is not one that Redis gives')
  if (!wasUncertain) return 'again'
  return (await connection.send(['GET', use.key])) === use.value ? 'first' : 'again'
}
