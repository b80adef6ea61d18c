import type { RequestRate } from './policy/request-rate.ts'
import type { ReplayStoreReport } from './replay/memory-replay-store.ts'
import { createReplyFailure, type RedisConnection, waitForRedis } from './replay/open-redis-connection.ts'
import { type RedisSettings, toBasePrefix } from './replay/redis-address.ts'
import { openRedisLink, type RedisLink } from './replay/redis-link.ts'
import { type SharedRates, toTimes } from './request-limits.ts'

/** How long one request may wait for Redis. After that, each process counts for itself. */
export const redisRateWaitMs = 100

/**
 * Opens the counts that several verifiers share through Redis or Valkey. If Redis cannot be reached, they open anyway: `take` resolves to
 * `undefined` until Redis answers, and the failure and the recovery are reported.
 * @throws {HelperError} for settings that cannot be used: the file of the password or of a certificate authority.
 */
export async function openRedisRates(
  settings: RedisSettings,
  report: (report: ReplayStoreReport) => void,
): Promise<SharedRates> {
  const link = await openRedisLink(settings, report)
  const waiting = new Map<string, TakeBatch>()
  /** While one command about a bucket is pending, later requests of the bucket are collected and sent as one command. */
  const send = async (key: string, rate: RequestRate, count: number) => {
    try {
      return await sendTake(link, settings, { key, rate, count })
    } catch {
      return undefined // the link has reported it
    }
  }
  const sendNext = async (key: string, batch: TakeBatch) => {
    while (batch.next) {
      const { count, rate, answer } = batch.next
      batch.next = undefined
      answer.resolve(await send(key, rate, count))
    }
    waiting.delete(key)
  }
  return {
    take(key, rate) {
      const batch = waiting.get(key)
      if (batch) {
        batch.next ??= { count: 0, rate, answer: Promise.withResolvers() }
        batch.next.count += 1
        return batch.next.answer.promise
      }
      if (waiting.size >= maxWaiting) return Promise.resolve(undefined)
      const next: PendingTake = { count: 1, rate, answer: Promise.withResolvers() }
      const begun: TakeBatch = { next }
      waiting.set(key, begun)
      void sendNext(key, begun)
      return next.answer.promise
    },
    isAvailable: () => link.isAvailable(),
    close: () => link.close(),
  }
}

/** How many buckets may have pending requests. A request of one more bucket is counted only by this process. */
const maxWaiting = 10_000

/** The requests of one bucket that are sent as one command. */
interface PendingTake {
  count: number
  readonly rate: RequestRate
  readonly answer: PromiseWithResolvers<number | undefined>
}

interface TakeBatch {
  next: PendingTake | undefined
}

/**
 * Counts requests in a bucket by the clock of Redis, because the clocks of the verifiers may differ. `ARGV` holds two durations in
 * microseconds: the time of these requests, and the longest time until a bucket is full. A bucket that is full has no key.
 */
const script = `local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
full = math.min(full + tonumber(ARGV[1]), now + tonumber(ARGV[2]))
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', string.format('%.0f', math.ceil((full - now) / 1000) + 1))
return string.format('%.0f', full - now)`

/** @returns The milliseconds until the bucket is full again. */
async function sendTake(
  link: RedisLink,
  { prefix, waitMs }: RedisSettings,
  { key, rate, count }: { readonly key: string; readonly rate: RequestRate; readonly count: number },
): Promise<number> {
  const { eachMs, longestMs } = toTimes(rate)
  const micros = [eachMs * count, longestMs].map((ms) => String(Math.ceil(ms * 1000)))
  let connection: RedisConnection | undefined
  const ask = async () => {
    connection = await link.connection()
    return connection.send(['EVAL', script, '1', `${prefix}${key}`, ...micros])
  }
  try {
    const fullInMicros = Number(await waitForRedis(waitMs, ask))
    if (Number.isFinite(fullInMicros)) return fullInMicros / 1000
    throw createReplyFailure('the answer to EVAL is not a number')
  } catch (error) {
    connection?.close(error) // so that a late answer is not used
    throw error
  }
}

/** Returns the prefix of the keys of counts; the same Redis also holds the used tokens. */
export function toRatePrefix(redisPrefix: string): string {
  return `${toBasePrefix(redisPrefix)}rate:`
}
