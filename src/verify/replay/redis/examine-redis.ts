import { randomUUID } from 'node:crypto'
import { HelperError } from '../../../runtime/failure.ts'
import { isLoopback } from '../../../runtime/network/loopback.ts'
import type { RedisConnection } from './open-redis-connection.ts'
import { RedisRefusal } from './redis-errors.ts'
import type { RedisSettings } from './redis-settings.ts'

/** What makes a Redis forget, or lets others answer in its place, although it works. */
export interface RedisWarning {
  readonly message: string
  readonly hint: string
}

/**
 * Does with a key of its own what every use does, so that a server which cannot serve uses is found before one: a replica, a
 * full one, a user without permission, something that is no Redis.
 * @throws {HelperError} `unavailable` for a server that does not do what `SET … NX` says, or a `RedisRefusal`.
 */
export async function examineRedis(
  connection: RedisConnection,
  { address, prefix }: Pick<RedisSettings, 'address' | 'prefix'>,
): Promise<readonly RedisWarning[]> {
  const [key, value] = [`${prefix}examined:${randomUUID()}`, randomUUID()]
  const set = (text: string) => connection.send(['SET', key, text, 'NX', 'PX', '1000'])
  const replies = await Promise.all([set(value), set('another'), connection.send(['GET', key])])
  const expected = ['OK', null, value]
  if (replies.some((reply, index) => reply !== expected[index]))
    throw new HelperError(
      'unavailable',
      `Redis at ${address.name} does not keep the first value of a key`,
      'look what listens there: every Redis since 2.6.12 and every Valkey does, where its maxmemory-policy is noeviction',
    )
  const facts = await connection.send(['INFO']).catch(tellNothing)
  return facts === undefined ? [unknownPolicy(address.name)] : findWarnings(String(facts), address.name)
}

/** A user who may not ask for it is served all the same. */
function tellNothing(error: unknown): undefined {
  if (error instanceof RedisRefusal) return undefined
  throw error
}

/** Redis, "Key eviction": every policy but `noeviction` may remove keys that have an end, as all of ours have. */
function findWarnings(facts: string, name: string): readonly RedisWarning[] {
  const find = (field: string) => new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(facts)?.[1]
  const policy = find('maxmemory_policy')
  if (policy === undefined) return [unknownPolicy(name)]
  if (policy === 'noeviction' || find('maxmemory') === '0') return []
  return [
    {
      message: `Redis at ${name} may forget used tokens when its memory is full (maxmemory-policy ${policy}): they would pass again`,
      hint: 'set maxmemory-policy to noeviction, or give the verifiers a Redis of their own',
    },
  ]
}

function unknownPolicy(name: string): RedisWarning {
  return {
    message: `whether Redis at ${name} forgets used tokens when its memory is full cannot be seen`,
    hint: 'permit its user the command INFO, or see to it that its maxmemory-policy is noeviction',
  }
}

/** A connection on which everybody on the way can read the password and answer in the place of Redis. */
export function warnOfPlainConnection({ place, name }: RedisSettings['address']): readonly RedisWarning[] {
  if (place.transport !== 'tcp' || isLoopback(place.host)) return []
  return [
    {
      message: `the connection to Redis at ${name} is not encrypted: whoever is on the way can read the password and answer in its place`,
      hint: 'write rediss:// into the address, or use only a network where nobody else is',
    },
  ]
}
