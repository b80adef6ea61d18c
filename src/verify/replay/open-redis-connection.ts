import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import redis from '@redis/client' // CommonJS: in a bundle it has only a default export
import { HelperError } from '../../runtime/failure.ts'
import { isLoopback } from '../../runtime/network/addresses.ts'
import { findNetworkCode, isCertificateCode } from '../../runtime/network/network-failure.ts'
import { authoritySettings, prepareTrust } from '../../runtime/network/trust.ts'
import { waitUntilAborted } from '../../runtime/wait-at-most.ts'
import {
  defaultRedisPrefix,
  type RedisAddress,
  type RedisSettings,
  redisPasswordOption,
  redisPasswordVariable,
} from './redis-address.ts'

/** One connection, which is never reopened: when it ends, every command without a reply is rejected. */
export interface RedisConnection {
  send(command: readonly string[]): Promise<unknown>
  /** Resolves with the first reason for the end: the argument of `close`, or an error of the connection. */
  readonly ended: Promise<unknown>
  /** Ends the connection at once: nothing more is sent, and late replies are ignored. */
  close(reason: unknown): void
  /** Settings with which this Redis works, but may forget a used token or let another server answer. */
  readonly warnings: readonly RedisWarning[]
}

interface RedisWarning {
  readonly message: string
  readonly hint: string
}

/**
 * Connects, authenticates with the current password, and tests that the server can record a use.
 * @throws {HelperError} `unavailable` for a server that is late or does not support SET with NX; or the error of the client, which {@link
 * describeRedisFailure} explains.
 */
export async function openRedisConnection(settings: RedisSettings): Promise<RedisConnection> {
  const ending = Promise.withResolvers<unknown>()
  const stopDeadline = startDeadline(longestOpeningMs, () => ending.resolve(createLateFailure(settings.address)))
  const failed = ending.promise.then((reason) => {
    throw reason
  })
  try {
    return await Promise.race([connect(settings, ending), failed])
  } catch (error) {
    ending.resolve(error)
    throw error
  } finally {
    stopDeadline()
  }
}

/** The time from reading the password to the last reply of the test. */
const longestOpeningMs = 2_000

/**
 * Waits for work that asks Redis, at most for a time.
 * @param work Gets a signal that is aborted when the time is over, to close its connection, so that a late reply is ignored.
 * @throws {HelperError} `unavailable` if the work takes longer; otherwise the error of the work.
 */
export async function waitForRedis<T>(ms: number, work: (late: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const stopDeadline = startDeadline(ms, () => {
    const hint = 'check whether Redis runs, is overloaded or is far away'
    late.abort(new HelperError('unavailable', `Redis has not answered within ${ms} ms`, hint))
  })
  try {
    return await waitUntilAborted(late.signal, work(late.signal))
  } finally {
    stopDeadline()
  }
}

/**
 * Calls `late` after a time, unless the returned function is called first. Replies that have already arrived are read first: otherwise a
 * process that was paused, as on a busy machine, would take its own pause for one of Redis, and close a good connection.
 */
function startDeadline(ms: number, late: () => void): () => void {
  let reading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    reading = setImmediate(late)
  }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(reading)
  }
}

/** Creates the failure of a reply that Redis would not give. @param problem The whole message. */
export function createReplyFailure(problem: string): HelperError {
  return new HelperError('unavailable', problem, 'find out which program listens at its address')
}

function createLateFailure({ name }: RedisAddress): HelperError {
  return new HelperError(
    'unavailable',
    `Redis at ${name} has not answered within ${longestOpeningMs / 1000} s`,
    'check whether Redis runs, which program listens there, and whether it expects TLS (rediss://) or not (redis://)',
  )
}

async function connect(
  settings: RedisSettings,
  { promise: ended, resolve: end }: PromiseWithResolvers<unknown>,
): Promise<RedisConnection> {
  const { address, password, network } = settings
  const [socket, secret] = await Promise.all([prepareSocket(address, network), password()])
  const client = redis.createClient({
    socket: { ...socket, reconnectStrategy: false },
    ...(address.user !== undefined && { username: address.user }),
    ...(secret && { password: secret.reveal() }),
    database: address.database,
    // RESP2 is the protocol that every server and proxy speaks. No unnecessary command is sent.
    RESP: 2,
    maintNotifications: 'disabled',
    disableClientInfo: true,
    disableOfflineQueue: true,
    commandsQueueMaxLength: longestQueue,
    commandOptions: { timeout: 0 }, // each use has its own limit
  })
  const close = (reason: unknown) => {
    end(reason)
    if (client.isOpen) client.destroy()
  }
  client.on('error', close)
  const opened = client.connect()
  void ended.then(close) // also if opening was abandoned before the client existed
  await opened
  const send = (command: readonly string[]) => client.sendCommand(command)
  return { send, ended, close, warnings: await examineRedis(send, settings) }
}

/** How many commands may wait for a reply. */
const longestQueue = 10_000

async function prepareSocket({ place }: RedisAddress, network: RedisSettings['network']) {
  if (place.transport === 'unix') return { path: place.path, tls: false as const }
  const { host, port } = place
  if (place.transport === 'tcp') return { host, port, tls: false as const }
  const secureContext = await prepareTrust(network, () => {})
  const servername = isIP(host) ? '' : host
  return { host, port, tls: true as const, secureContext, servername, rejectUnauthorized: true }
}

/**
 * Sends the command of a use with a key of its own, so that a server that cannot record uses is found before the first use: a replica, a
 * full Redis, a user without permission, or a server that is not Redis.
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

/** A user who may not send INFO can still use the store. */
function acceptRefusal(error: unknown): undefined {
  if (!isRefusal(error)) throw error
}

/**
 * Warns about every eviction policy except `noeviction`, because it may remove keys that expire, as all of ours do (Redis documentation,
 * "Key eviction").
 */
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

/** Returns whether the server has answered with an error, and so has not executed the command. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof redis.ErrorReply
}

/** Describes why Redis cannot be used, as an error whose message and hint repeat nothing that was sent. */
export function describeRedisFailure(error: unknown, { name }: Pick<RedisAddress, 'name'>): HelperError {
  if (error instanceof HelperError) return error
  const [problem, hint] = toReason(error)
  return new HelperError('unavailable', `Redis at ${name} ${problem}`, hint, { cause: error })
}

type RedisExplanation = readonly [problem: string, hint: string]

/** After one of these errors, it is unknown whether the server has executed the commands without a reply. */
const endings = [redis.SocketClosedUnexpectedlyError, redis.DisconnectsClientError, redis.ClientClosedError]

function toReason(error: unknown): RedisExplanation {
  if (isRefusal(error)) return toReplyReason(error.message)
  const code = findNetworkCode(error)
  if (code === undefined) return endings.some((ending) => error instanceof ending) ? closed : foreign
  if (code === 'ECONNRESET' || code === 'EPIPE') return closed
  if (isCertificateCode(code))
    return [
      `presents a certificate that is not trusted (${code})`,
      `name the file of its certificate authority in ${authoritySettings}, and write the host as the certificate has it`,
    ]
  if (/^ERR_SSL/.test(code)) return [`does not speak TLS (${code})`, foreign[1]]
  return [`cannot be reached (${code})`, 'check whether Redis runs, and correct the address if it is wrong']
}

function toReplyReason(message: string): RedisExplanation {
  // Before Redis 6, the reply to a wrong password began with `ERR`.
  if (/^ERR (invalid password|Client sent AUTH)/.test(message)) return replies.WRONGPASS
  const [word = ''] = /^[A-Z]+(?=\s|$)/.exec(message) ?? []
  return Object.hasOwn(replies, word) ? replies[word as keyof typeof replies] : unknownReply
}

const foreign: RedisExplanation = [
  'does not answer as Redis does',
  'find out which program listens there, and whether it expects TLS (rediss://) or not (redis://)',
]

const closed: RedisExplanation = ['closed the connection', foreign[1]]

const passwordHint = `correct the user in the address, and the password in the file of ${redisPasswordOption} or in ${redisPasswordVariable}`
const primaryHint =
  'name the primary, or a proxy in front of it; Redis Cluster and Sentinel are not supported, so name one server without cluster mode'
const inCluster: RedisExplanation = ['is one server of a Redis Cluster', primaryHint]

/**
 * The reasons by the first word of an error reply. The rest of a reply is never shown, because it may repeat the command and so a password.
 */
const replies = {
  WRONGPASS: ['refuses the password', passwordHint],
  NOAUTH: ['asks for a password', passwordHint],
  NOPERM: [
    'does not allow its user the commands or keys that are needed',
    `allow that user the commands and keys, for example with: ACL SETUSER gatepass +set +get +info '~${defaultRedisPrefix}*'; docs/gateways/revocation.md has those of revocations`,
  ],
  READONLY: ['is a replica, which cannot be written to', primaryHint],
  OOM: ['has no memory left', 'raise its maxmemory'],
  MISCONF: ['does not accept writes, because it cannot save its data', 'read its log; its disk may be full'],
  LOADING: ['is still loading its data from disk', 'wait until it has finished; nothing has to be changed'],
  MASTERDOWN: ['is a replica that has lost its primary', primaryHint],
  NOREPLICAS: [
    'has fewer replicas than it requires for writes',
    'bring its replicas back, or lower min-replicas-to-write',
  ],
  MOVED: inCluster,
  ASK: inCluster,
  CLUSTERDOWN: inCluster,
  DENIED: [
    'accepts no connections from other machines (protected mode)',
    'give it a password or a user, and configure the verifier with the same',
  ],
} as const satisfies Readonly<Record<string, RedisExplanation>>

const unknownReply: RedisExplanation = [
  'answers with an error',
  'check that it is a Redis or Valkey that supports SET with NX and PX, has the database of the address, and accepts more clients',
]
