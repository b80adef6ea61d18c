import { isIP } from 'node:net'
import { resolveTrust } from '../../../runtime/network/connect/trust.ts'
import type { RedisAddress } from './redis-address.ts'
import { RedisClosed, RedisRefusal } from './redis-errors.ts'
import type { RedisSettings } from './redis-settings.ts'

/** One connection, which is not opened again by itself: what it was asked and has not answered is rejected when it is lost. */
export interface RedisConnection {
  send(command: readonly string[]): Promise<unknown>
  close(): void
}

/** So many commands wait for an answer at most. */
const longestQueue = 10_000

/**
 * Connects, and signs in with the password of this moment. `signal` gives up.
 * @param lose Called once, when the connection ends or what arrives is no answer of Redis; at once, so that nothing more is
 *   sent there.
 */
export async function openRedisConnection(
  { address, password, network }: Pick<RedisSettings, 'address' | 'password' | 'network'>,
  lose: (reason: unknown) => void,
  signal: AbortSignal,
): Promise<RedisConnection> {
  // A verifier without Redis does not load it. Of a CommonJS library a bundle exports the default alone.
  const { default: redis } = await import('@redis/client')
  const [place, secret] = await Promise.all([toSocketOptions(address, network), password()])
  signal.throwIfAborted()
  const client = redis.createClient({
    socket: { ...place, reconnectStrategy: false },
    ...(address.user !== undefined && { username: address.user }),
    ...(secret && { password: secret.reveal() }),
    database: address.database,
    // The oldest protocol, which every server and proxy speaks, and nothing sent but what is needed.
    RESP: 2,
    maintNotifications: 'disabled',
    disableClientInfo: true,
    disableOfflineQueue: true,
    commandsQueueMaxLength: longestQueue,
    commandOptions: { timeout: 0 }, // a use has its own bound
  })
  const close = () => {
    if (client.isOpen) client.destroy()
  }
  client.on('error', (reason) => {
    lose(toOwnError(redis, reason))
    close()
  })
  const translate = (reason: unknown) => {
    throw toOwnError(redis, reason)
  }
  signal.addEventListener('abort', close, { once: true })
  await client.connect().catch(translate)
  signal.removeEventListener('abort', close)
  return { send: (command) => client.sendCommand(command).catch(translate), close }
}

function toOwnError(redis: typeof import('@redis/client'), error: unknown): unknown {
  if (error instanceof redis.ErrorReply) return new RedisRefusal(error.message)
  const endings = [redis.SocketClosedUnexpectedlyError, redis.DisconnectsClientError, redis.ClientClosedError]
  return endings.some((ending) => error instanceof ending) ? new RedisClosed('closed') : error
}

async function toSocketOptions({ place }: RedisAddress, network: RedisSettings['network']) {
  if (place.transport === 'unix') return { path: place.path, tls: false as const }
  const { host, port } = place
  if (place.transport === 'tcp') return { host, port, tls: false as const }
  const secureContext = await resolveTrust(network, () => {})
  const servername = isIP(host) ? '' : host
  return { host, port, tls: true as const, secureContext, servername, rejectUnauthorized: true }
}
