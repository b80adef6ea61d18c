import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { HelperError } from '../../runtime/failure.ts'
import { isLoopback } from '../../runtime/network/loopback.ts'
import { prepareTrust } from '../../runtime/network/trust.ts'
import type { RedisAddress, RedisSettings } from './redis-address.ts'

/** One connection, which is never opened again: when it ends, every command without a reply is rejected. */
export interface RedisConnection {
  send(command: readonly string[]): Promise<unknown>
  /** Resolves with the first reason for its end: an argument of `close`, or what the connection itself met. */
  readonly ended: Promise<unknown>
  /** Ends it at once, so that nothing more is sent and no late reply reaches anybody. */
  close(reason: unknown): void
  /** Settings by which this Redis can forget a used token, or lets others answer in its place, although it works. */
  readonly warnings: readonly RedisWarning[]
}

type Redis = typeof import('@redis/client')

interface RedisWarning {
  readonly message: string
  readonly hint: string
}

/** From reading the password to the replies of the examination. */
const longestOpeningMs = 2_000

/** How many commands may wait for a reply. */
const longestQueue = 10_000

/**
 * Connects, signs in with the password of this moment, and examines the server, so that a use would succeed on the connection now.
 * @throws {HelperError} `unavailable` for a server that is late or does not support SET with NX; a `RedisRefusal`,
 *   a `RedisClosed`, or the error of the socket.
 */
export async function openRedisConnection(settings: RedisSettings): Promise<RedisConnection> {
  // A verifier without Redis does not load the library. It is CommonJS, so that a bundle exports only its default.
  const { default: redis } = await import('@redis/client')
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  const timer = setTimeout(() => end(createLateFailure(settings.address)), longestOpeningMs)
  const failed = ended.then((reason) => {
    throw reason
  })
  try {
    return await Promise.race([connect(redis, settings, ended, end), failed])
  } catch (error) {
    end(error)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function connect(
  redis: Redis,
  settings: RedisSettings,
  ended: Promise<unknown>,
  end: (reason: unknown) => void,
): Promise<RedisConnection> {
  const { address, password, network } = settings
  const [socket, secret] = await Promise.all([toSocketOptions(address, network), password()])
  const client = redis.createClient({
    socket: { ...socket, reconnectStrategy: false },
    ...(address.user !== undefined && { username: address.user }),
    ...(secret && { password: secret.reveal() }),
    database: address.database,
    // The oldest protocol, which every server and proxy speaks, and no command that is not needed.
    RESP: 2,
    maintNotifications: 'disabled',
    disableClientInfo: true,
    disableOfflineQueue: true,
    commandsQueueMaxLength: longestQueue,
    commandOptions: { timeout: 0 }, // each use has a bound of its own
  })
  const close = (reason: unknown) => {
    end(toOwnError(redis, reason))
    if (client.isOpen) client.destroy()
  }
  client.on('error', close)
  const opened = client.connect()
  void ended.then(close) // also if the opening was given up before there was a client
  const translate = (reason: unknown) => {
    throw toOwnError(redis, reason)
  }
  await opened.catch(translate)
  const send = (command: readonly string[]) => client.sendCommand(command).catch(translate)
  return { send, ended, close, warnings: await examineRedis(send, settings) }
}

async function toSocketOptions({ place }: RedisAddress, network: RedisSettings['network']) {
  if (place.transport === 'unix') return { path: place.path, tls: false as const }
  const { host, port } = place
  if (place.transport === 'tcp') return { host, port, tls: false as const }
  const secureContext = await prepareTrust(network, () => {})
  const servername = isIP(host) ? '' : host
  return { host, port, tls: true as const, secureContext, servername, rejectUnauthorized: true }
}

/**
 * Does with a key of its own what every use does, so that a server that cannot serve uses is found before the first use: a
 * replica, a full Redis, a user without permission, something that is not Redis.
 */
async function examineRedis(
  send: RedisConnection['send'],
  { address, prefix }: RedisSettings,
): Promise<readonly RedisWarning[]> {
  const [key, value] = [`${prefix}examined:${randomUUID()}`, randomUUID()]
  const set = (text: string) => send(['SET', key, text, 'NX', 'PX', '1000'])
  const replies = await Promise.all([set(value), set('another'), send(['GET', key])])
  const expected = ['OK', null, value]
  if (replies.some((reply, index) => reply !== expected[index]))
    throw new HelperError(
      'unavailable',
      `Redis at ${address.name} does not support SET with NX`,
      'find out which program listens there: every Redis since 2.6.12 and every Valkey supports it',
    )
  const facts = await send(['INFO']).catch(acceptRefusal)
  return [...listEvictionWarnings(String(facts ?? ''), address.name), ...listPlainConnectionWarnings(address)]
}

/** A user without permission for INFO can still use the store. */
function acceptRefusal(error: unknown): undefined {
  if (!(error instanceof RedisRefusal)) throw error
}

/** Redis, "Key eviction": every policy except `noeviction` may remove keys that expire, and all of ours do. */
function listEvictionWarnings(facts: string, name: string): readonly RedisWarning[] {
  const find = (field: string) => new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(facts)?.[1]
  const policy = find('maxmemory_policy')
  if (policy === undefined)
    return [
      {
        message: `it cannot be seen whether Redis at ${name} forgets used tokens when its memory is full`,
        hint: 'allow its user the command INFO, or make sure that its maxmemory-policy is noeviction',
      },
    ]
  if (policy === 'noeviction' || find('maxmemory') === '0') return []
  return [
    {
      message: `Redis at ${name} may forget used tokens when its memory is full (maxmemory-policy ${policy}): they would pass again`,
      hint: 'set maxmemory-policy to noeviction, or give the verifiers a Redis of their own',
    },
  ]
}

function listPlainConnectionWarnings({ place, name }: RedisAddress): readonly RedisWarning[] {
  if (place.transport !== 'tcp' || isLoopback(place.host)) return []
  return [
    {
      message: `the connection to Redis at ${name} is not encrypted: anybody on the network can read the password and answer in place of Redis`,
      hint: 'write rediss:// into the address, or use a network to which nobody else has access',
    },
  ]
}

function createLateFailure({ name }: RedisAddress): HelperError {
  return new HelperError(
    'unavailable',
    `Redis at ${name} has not answered within ${longestOpeningMs / 1000} s`,
    'check whether Redis runs, which program listens there, and whether it expects TLS (rediss://) or not (redis://)',
  )
}

function toOwnError(redis: Redis, error: unknown): unknown {
  if (error instanceof redis.ErrorReply) return new RedisRefusal(error.message)
  const endings = [redis.SocketClosedUnexpectedlyError, redis.DisconnectsClientError, redis.ClientClosedError]
  return endings.some((ending) => error instanceof ending) ? new RedisClosed('closed') : error
}

/** An error reply: the server has not executed the command. Its text may repeat the command, so that only its first word is used. */
export class RedisRefusal extends Error {
  override name = 'RedisRefusal'
}

/** The connection ended: nobody knows whether the server has executed the commands that have no reply. */
export class RedisClosed extends Error {
  override name = 'RedisClosed'
}
