import { HelperError } from '../../runtime/failure.ts'
import { findNetworkCode } from '../../runtime/network/loopback.ts'
import { authoritySettings } from '../../runtime/network/trust.ts'
import { RedisClosed, RedisRefusal } from './open-redis-connection.ts'
import { type RedisAddress, redisPasswordOption, redisPasswordVariable } from './redis-address.ts'

type RedisExplanation = readonly [problem: string, hint: string]

/** Why Redis cannot be asked, as a failure whose message and hint repeat nothing of what was sent. */
export function describeRedisFailure(error: unknown, { name }: Pick<RedisAddress, 'name'>): HelperError {
  if (error instanceof HelperError) return error
  const [problem, hint] = toReason(error)
  return new HelperError('unavailable', `Redis at ${name} ${problem}`, hint, { cause: error })
}

function toReason(error: unknown): RedisExplanation {
  if (error instanceof RedisRefusal) return toReplyReason(error.message)
  const code = findNetworkCode(error)
  if (code === undefined) return error instanceof RedisClosed ? closed : foreign
  if (code === 'ECONNRESET' || code === 'EPIPE') return closed
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE|HOSTNAME/.test(code))
    return [
      `presents a certificate that is not trusted (${code})`,
      `name the file of its certificate authority in ${authoritySettings}, and write the host as the certificate has it`,
    ]
  if (/^ERR_SSL/.test(code)) return [`does not speak TLS (${code})`, foreign[1]]
  return [`cannot be reached (${code})`, 'check whether Redis runs, and correct the address if it is wrong']
}

function toReplyReason(message: string): RedisExplanation {
  // Before Redis 6 the reply about a wrong password had no first word of its own.
  if (/^ERR (invalid password|Client sent AUTH)/.test(message)) return replies.WRONGPASS
  const [word = ''] = /^[A-Z]+(?=\s|$)/.exec(message) ?? []
  return Object.hasOwn(replies, word) ? replies[word as keyof typeof replies] : unknownReply
}

const foreign: RedisExplanation = [
  'does not answer as Redis does',
  'find out which program listens there, and whether it expects TLS (rediss://) or not (redis://)',
]

const closed: RedisExplanation = ['closed the connection', foreign[1]]

const password = `correct the user in the address, and the password in the file of ${redisPasswordOption} or in ${redisPasswordVariable}`
const primary =
  'name the primary, or a proxy in front of it; Redis Cluster and Sentinel are not supported, so name one server without cluster mode'
const inCluster: RedisExplanation = ['is one server of a Redis Cluster', primary]

/** Reasons by the first word of an error reply. The rest may repeat the command, a password included, and is never shown. */
const replies = {
  WRONGPASS: ['refuses the password', password],
  NOAUTH: ['asks for a password', password],
  NOPERM: [
    'does not allow its user the commands or keys that are needed',
    "allow that user the commands and keys, for example with: ACL SETUSER gatepass +set +get +info '~gatepass:used:*'",
  ],
  READONLY: ['is a replica, which cannot be written to', primary],
  OOM: ['has no memory left', 'raise its maxmemory'],
  MISCONF: ['does not accept writes, because it cannot save its data', 'read its log; its disk may be full'],
  LOADING: ['is still loading its data from disk', 'wait until it has finished; nothing has to be changed'],
  MASTERDOWN: ['is a replica that has lost its primary', primary],
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
