import { HelperError } from '../../../runtime/failure.ts'
import { authoritySettings } from '../../../runtime/network/connect/trust.ts'
import { findNetworkCode } from '../../../runtime/network/network-code.ts'
import { type RedisAddress, redisPasswordOption, redisPasswordVariable } from './redis-address.ts'
import { RedisClosed, RedisRefusal } from './redis-errors.ts'

interface Reason {
  readonly what: string
  readonly hint: string
}

const primary =
  'name the primary, or a proxy before it; Redis Cluster and Sentinel are not followed, so name one server without cluster mode'

const password: Reason = {
  what: 'refuses the password',
  hint: `correct the user in the address, and the password in the file of ${redisPasswordOption} or in ${redisPasswordVariable}`,
}

/** By the first word of an error reply. The rest may repeat what was sent, a password included, and is never shown. */
const replies: Readonly<Record<string, Reason>> = {
  WRONGPASS: password,
  NOAUTH: { what: 'wants a password', hint: password.hint },
  NOPERM: {
    what: 'does not permit its user what is needed',
    hint: "permit the user of the address the commands and keys, for example: ACL SETUSER gatepass +set +get +info '~gatepass:used:*'",
  },
  READONLY: { what: 'is a replica, where nothing can be written', hint: primary },
  OOM: { what: 'has no memory left', hint: 'raise its maxmemory' },
  MISCONF: { what: 'does not write, because it cannot save', hint: 'look into its log; its disk may be full' },
  LOADING: { what: 'still reads its data from disk', hint: 'wait; nothing has to be done' },
  MASTERDOWN: { what: 'is a replica that has lost its primary', hint: primary },
  NOREPLICAS: {
    what: 'has fewer replicas than it needs to write',
    hint: 'bring its replicas back, or lower min-replicas-to-write',
  },
  MOVED: { what: 'is one server of a Redis Cluster', hint: primary },
  ASK: { what: 'is one server of a Redis Cluster', hint: primary },
  CLUSTERDOWN: { what: 'is one server of a Redis Cluster', hint: primary },
  DENIED: {
    what: 'lets nobody in from another machine (protected mode)',
    hint: 'give it a password or a user, and the verifier the same',
  },
}

const unknownReply: Reason = {
  what: 'answers with an error',
  hint: 'look whether it is a Redis or Valkey that knows SET with NX and PX, has the database of the address, and takes more clients',
}

const foreign: Reason = {
  what: 'does not answer as Redis does',
  hint: 'look what listens there, and whether it wants TLS (rediss://) or none (redis://)',
}

const closing: Reason = { what: 'closed the connection', hint: foreign.hint }

/** Why Redis cannot be asked, as a failure whose message and hint hold nothing of what was sent. */
export function describeRedisFailure(error: unknown, { name }: Pick<RedisAddress, 'name'>): HelperError {
  if (error instanceof HelperError) return error
  const { what, hint } = findReason(error)
  return new HelperError('unavailable', `Redis at ${name} ${what}`, hint, { cause: error })
}

function findReason(error: unknown): Reason {
  if (error instanceof RedisRefusal) return findReply(error.message)
  const code = findNetworkCode(error)
  if (code !== undefined) return describeCode(code)
  if (error instanceof RedisClosed) return closing
  return foreign
}

function findReply(message: string): Reason {
  const word = /^[A-Z]+(?=\s|$)/.exec(message)?.[0] ?? ''
  // Before Redis 6 a wrong password had no word of its own.
  if (/^ERR (invalid password|Client sent AUTH)/.test(message)) return password
  return replies[word] ?? unknownReply
}

function describeCode(code: string): Reason {
  if (code === 'ECONNRESET' || code === 'EPIPE') return closing
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE|HOSTNAME/.test(code))
    return {
      what: `presents a certificate that is not trusted (${code})`,
      hint: `name the file of its certificate authority in ${authoritySettings}, and the host as its certificate does`,
    }
  if (/^ERR_SSL/.test(code)) return { ...foreign, what: `does not speak TLS (${code})` }
  return { what: `cannot be reached (${code})`, hint: 'look whether it runs, and correct the address' }
}
