import { HelperError } from '../../../runtime/failure.ts'

/** Where a Redis or Valkey is, and as whom it is asked. */
export interface RedisAddress {
  readonly place:
    | { readonly transport: 'tcp' | 'tls'; readonly host: string; readonly port: number }
    | { readonly transport: 'unix'; readonly path: string }
  /** A user of its access control list; its default user if absent. */
  readonly user: string | undefined
  readonly database: number
  /** For messages; without user and password. */
  readonly name: string
}

/** Where its password is expected, for hints. */
export const redisPasswordVariable = 'GATEPASS_REDIS_PASSWORD'
export const redisPasswordOption = '--redis-password-file'

/** The schemes of IANA's registry and of Valkey's own clients. */
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
 * Reads an address such as `rediss://gatepass@redis.example:6380/2` or `unix:///run/redis.sock?db=2&user=gatepass`. What is
 * wrong with one is said without repeating it, because it may hold a password.
 * @throws {HelperError} `usage`
 */
export function parseRedisAddress(text: string): RedisAddress {
  const url = URL.parse(text)
  const transport = url && transports[url.protocol]
  if (!transport) throw usage('the address of Redis has a form that is not supported', forms)
  if (url.password !== '' || url.searchParams.has('password'))
    throw usage(
      'the address of Redis holds a password, which every user of this machine could read among the arguments',
      `take it out, write it into a file that only the verifier reads and name that with ${redisPasswordOption}; or set ${redisPasswordVariable}`,
    )
  if (url.hash !== '') throw usage('the address of Redis ends with a # and more', forms)
  return transport === 'unix' ? parseSocket(url) : parseHost(url, transport)
}

function parseHost(url: URL, transport: 'tcp' | 'tls'): RedisAddress {
  refuseOthers(url, [])
  if (url.hostname === '') throw usage('the address of Redis names no host', forms)
  const port = Number(url.port || 6379)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    place: { transport, host, port },
    user: decode(url.username) || undefined,
    database: parseDatabase(url.pathname.replace(/^\//, '')),
    name: `${url.hostname}:${port}`,
  }
}

function parseSocket(url: URL): RedisAddress {
  refuseOthers(url, ['db', 'user'])
  const path = decode(url.pathname)
  if (url.host !== '' || path.length < 2) throw usage('the address of Redis names no path of a socket', forms)
  return {
    place: { transport: 'unix', path },
    user: url.searchParams.get('user') || undefined,
    database: parseDatabase(url.searchParams.get('db') ?? ''),
    name: path,
  }
}

function refuseOthers(url: URL, known: readonly string[]): void {
  if ([...url.searchParams.keys()].some((key) => !known.includes(key)))
    throw usage('the address of Redis holds a parameter that is not known here', forms)
}

function parseDatabase(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw usage('the database in the address of Redis is no number', forms)
  return Number(text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw usage('the address of Redis holds a % that is no escape', 'write %25 for a percent sign')
  }
}

function usage(message: string, hint: string): HelperError {
  return new HelperError('usage', message, hint)
}
