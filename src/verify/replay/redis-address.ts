import { readIfPresent } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { Secret } from '../../runtime/secret.ts'

/** The address of a Redis or Valkey, and the user to sign in as. */
export interface RedisAddress {
  readonly place:
    | { readonly transport: 'tcp' | 'tls'; readonly host: string; readonly port: number }
    | { readonly transport: 'unix'; readonly path: string }
  /** The user (Redis ACL); the default user if absent. */
  readonly user: string | undefined
  readonly database: number
  /** The address in messages, without the user. */
  readonly name: string
}

/** The variable for the password, for hints. */
export const redisPasswordVariable = 'GATEPASS_REDIS_PASSWORD'
/** The option for a file with the password, for hints. */
export const redisPasswordOption = '--redis-password-file'

/** The URI schemes that IANA has registered, and those of Valkey's clients. */
const transports: Readonly<Record<string, 'tcp' | 'tls' | 'unix'>> = {
  'redis:': 'tcp',
  'valkey:': 'tcp',
  'rediss:': 'tls',
  'valkeys:': 'tls',
  'unix:': 'unix',
}

const forms =
  'write redis://HOST:6379, rediss://HOST:6379 for TLS, or unix:///PATH/OF/SOCKET; a database as /2 or ?db=2'

/**
 * Parses an address such as `rediss://gatepass@redis.example:6380/2` or `unix:///run/redis.sock?db=2&user=gatepass`. Messages do not repeat
 * the address, because it may contain a password.
 * @throws {HelperError} `usage`
 */
export function parseRedisAddress(text: string): RedisAddress {
  const url = URL.parse(text)
  const transport = url && transports[url.protocol]
  if (!transport) throw createUsageError('the address of Redis has a form that is not supported', forms)
  if (url.password !== '' || url.searchParams.has('password'))
    throw createUsageError(
      'the address of Redis holds a password, which every user of this machine could read among the arguments',
      `take it out, write it into a file that only the verifier reads and name that with ${redisPasswordOption}; or set ${redisPasswordVariable}`,
    )
  if (url.hash !== '') throw createUsageError('the address of Redis ends with a # and more', forms)
  return transport === 'unix' ? parseSocket(url) : parseHost(url, transport)
}

function parseSocket(url: URL): RedisAddress {
  refuseOthers(url, ['db', 'user'])
  const path = decode(url.pathname)
  if (url.host !== '' || path.length < 2)
    throw createUsageError('the address of Redis names no path of a socket', forms)
  return {
    place: { transport: 'unix', path },
    user: url.searchParams.get('user') || undefined,
    database: parseDatabase(url.searchParams.get('db') ?? ''),
    name: path,
  }
}

function parseHost(url: URL, transport: 'tcp' | 'tls'): RedisAddress {
  refuseOthers(url, [])
  if (url.hostname === '') throw createUsageError('the address of Redis names no host', forms)
  const port = Number(url.port || 6379)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    place: { transport, host, port },
    user: decode(url.username) || undefined,
    database: parseDatabase(url.pathname.replace(/^\//, '')),
    name: `${url.hostname}:${port}`,
  }
}

function refuseOthers(url: URL, known: readonly string[]): void {
  if ([...url.searchParams.keys()].some((key) => !known.includes(key)))
    throw createUsageError('the address of Redis holds a parameter that is not known here', forms)
}

function parseDatabase(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw createUsageError('the database in the address of Redis is not a number', forms)
  return Number(text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw createUsageError(
      'the address of Redis holds a % that does not begin an escape',
      'write %25 for a percent sign',
    )
  }
}

function createUsageError(message: string, hint: string): HelperError {
  return new HelperError('usage', message, hint)
}

/** The settings of a store in Redis. */
export interface RedisSettings {
  readonly address: RedisAddress
  /** Read for each connection, so that a new password is used after the old one is withdrawn. */
  readonly password: () => Promise<Secret | undefined>
  /** The trusted certificate authorities for TLS. Proxies are not used. */
  readonly network: NetworkSettings
  /** The prefix of every key. Verifiers with the same prefix share the record of used tokens. */
  readonly prefix: string
  /** How long one use may wait for an answer, in milliseconds. */
  readonly waitMs: number
}

/** The end of the prefix of used tokens; other shared keys have another word in its place. */
const usedPart = 'used:'

/** The prefix of the keys of used tokens, unless `--redis-prefix` names another. */
export const defaultRedisPrefix = `gatepass:${usedPart}`

/** Returns the prefix of a tenant's keys: a token that one tenant used, counted or revoked is unaffected in another. */
export function toTenantPrefix(redisPrefix: string, tenant: string): string {
  return `${toBasePrefix(redisPrefix)}tenant:${tenant}:${usedPart}`
}

/** Returns the beginning of the keys of everything that verifiers share, of which the used tokens are one part. */
export function toBasePrefix(redisPrefix: string): string {
  return redisPrefix.endsWith(usedPart) ? redisPrefix.slice(0, -usedPart.length) : redisPrefix
}

/** Shorter than the timeouts of nginx and Envoy, and longer than a healthy Redis ever takes. Our decision. */
export const defaultRedisWaitMs = 500

/**
 * Reads the password from its file, or else from {@link redisPasswordVariable}; `undefined` if neither is set.
 * @throws {HelperError} `not-configured` for a file that is missing, empty or has more than one line.
 */
export async function readRedisPassword(file: string | undefined, env: Environment): Promise<Secret | undefined> {
  if (file === undefined) {
    const set = env[redisPasswordVariable]
    return set ? new Secret(set) : undefined
  }
  const text = await readIfPresent(file)
  const [password = '', ...others] = (text ?? '').replace(/(\r?\n)+$/, '').split(/\r?\n/)
  if (text !== undefined && password !== '' && others.length === 0) return new Secret(password)
  throw new HelperError(
    'not-configured',
    text === undefined ? `the file ${file} (${redisPasswordOption}) does not exist` : `${file} is not one line`,
    `write the password of Redis into ${file}, alone on its line`,
  )
}
