import { HelperError } from '../../runtime/failure.ts'
import type { ReplayStoreReport } from '../replay/memory-replay-store.ts'
import { describeRedisFailure, type RedisConnection, waitForRedis } from '../replay/open-redis-connection.ts'
import { type RedisSettings, toBasePrefix } from '../replay/redis-address.ts'
import { RedisLink } from '../replay/redis-link.ts'
import { parseRevocation, type Revocation, renderRevocation, toRevocationId } from './revocation.ts'
import { RevocationList } from './revocation-list.ts'
import type { RevocationSource } from './revocations.ts'

/**
 * Reads entries from a Redis that several verifiers share, and follows its changes. If Redis cannot be reached, the source opens anyway,
 * and has a problem until Redis answers; known entries stay in force meanwhile.
 */
export async function openRedisRevocations(settings: RedisSettings, { now, report }: RedisParts) {
  const link = new RedisLink(settings, report)
  const list = new RevocationList(now)
  const reader = new ChangeReader({ settings, list, now, report })
  let answeredAt = -Infinity
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let problem: string | undefined = 'no entries have been read yet'
  const look = async () => {
    try {
      problem = await reader.look(await link.connection())
      answeredAt = performance.now()
    } catch (error) {
      problem = describeRedisFailure(error, settings.address).message
    }
    if (!isClosed) timer = setTimeout(look, intervalMs).unref()
  }
  await look()
  const source: RevocationSource = {
    name: 'redis',
    list,
    problem: () =>
      performance.now() - answeredAt > longestSilenceMs ? (problem ?? 'Redis has not answered for a second') : problem,
    async add(revocations) {
      list.addAll(revocations)
      await writeRevocations(link, settings, revocations)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      link.close()
    },
  }
  return source
}

/** The pause between two reads of the changes. */
const intervalMs = 200

/** The time between two reads of every entry, which find entries that somebody removed by hand. */
const reloadMs = 300_000
/** The time between two reads of every entry while there are too many. */
const fullReloadMs = 5_000

/** An endless list, from a server that is not Redis, must not keep the verifier from starting. */
const longestLoadMs = 30_000

/** After this time without an answer, the list counts as unknown. */
const longestSilenceMs = 1_000

/** How many changes Redis keeps: far more than happen between two reads. */
const keptChanges = 10_000

interface RedisParts {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly report: (report: ReplayStoreReport) => void
}

/** Keeps a copy of the list in Redis: every entry for a new connection, afterwards the changes. */
class ChangeReader {
  readonly #settings: RedisSettings
  readonly #list: RevocationList
  readonly #now: () => number
  readonly #report: RedisParts['report']
  #connection: RedisConnection | undefined
  #lastId = '0'
  #loadedAt = -Infinity
  /** Why some entries are not in force since the last load. */
  #overflow: string | undefined

  constructor({ settings, list, now, report }: RedisParts & { settings: RedisSettings; list: RevocationList }) {
    this.#settings = settings
    this.#list = list
    this.#now = now
    this.#report = report
  }

  /**
   * @returns What is wrong with the entries; `undefined` if all of them are in force.
   * @throws the error of the connection.
   */
  async look(connection: RedisConnection): Promise<string | undefined> {
    const keptMs = this.#overflow === undefined ? reloadMs : fullReloadMs
    const isDue = this.#connection !== connection || performance.now() - this.#loadedAt > keptMs
    if (isDue) {
      this.#connection = undefined // undefined until every entry is read
      await this.#load(connection)
      this.#connection = connection
      this.#loadedAt = performance.now()
    }
    return (await this.#follow(connection)) ?? this.#overflow
  }

  async #load(connection: RedisConnection): Promise<void> {
    const { entries, changes } = toKeys(this.#settings)
    const newest = await sendInTime(connection, this.#settings, ['XREVRANGE', changes, '+', '-', 'COUNT', '1'])
    const list = new RevocationList(this.#now)
    let [cursor, isFull] = ['0', false]
    const startedAt = performance.now()
    do {
      if (performance.now() - startedAt > longestLoadMs)
        throw new HelperError(
          'unavailable',
          `the revocations in Redis at ${this.#settings.address.name} could not be read in time`,
          `remove those that have ended from its hash ${entries}, whose entries HLEN counts`,
        )
      const reply = await sendInTime(connection, this.#settings, ['HSCAN', entries, cursor, 'COUNT', '500'])
      const [next, fields] = reply as [unknown, unknown[]]
      for (const [at, text] of fields.entries()) if (at % 2 === 1 && addText(list, text) === 'full') isFull = true
      await this.#removeEnded(connection, fields)
      cursor = String(next)
    } while (cursor !== '0')
    const [first] = newest as [[unknown]?]
    const newestId = first ? String(first[0]) : '0'
    if (isEarlier(newestId, this.#lastId)) await this.#restore(connection, list)
    this.#list.replace(list)
    this.#lastId = newestId
    this.#overflow = isFull ? describeOverflow(list) : undefined
  }

  /** Writes the known entries to a Redis that has lost changes, as after a restart without its data. */
  async #restore(connection: RedisConnection, list: RevocationList): Promise<void> {
    const { name } = this.#settings.address
    const message = `Redis at ${name} has forgotten revocations: those that this verifier knows still count, and are written again`
    this.#report({ kind: 'warning', message, hint: 'set appendonly yes, so that it keeps them when it restarts' })
    const lost = this.#list.list().filter((each) => !list.findStronger(each))
    for (const each of lost) list.add(each)
    await writeOn(
      connection,
      this.#settings,
      lost.map((each) => [each, renderRevocation(each)] as const),
    )
  }

  /** Removes entries that have ended. If another program writes meanwhile, the next load removes them. */
  async #removeEnded(connection: RedisConnection, fields: readonly unknown[]): Promise<void> {
    const { entries } = toKeys(this.#settings)
    const texts = fields.filter((_, at) => at % 2 === 1)
    const ended = fields.filter((_, at) => at % 2 === 0 && hasEnded(texts[at / 2], this.#now())).map(String)
    if (ended.length === 0) return
    const send = (...command: readonly string[]) => sendInTime(connection, this.#settings, command)
    await send('WATCH', entries)
    const now = (await send('HMGET', entries, ...ended)) as unknown[]
    const still = ended.filter((_, at) => hasEnded(now[at], this.#now()))
    // The commands are sent together, so that no other command of this connection comes between them.
    if (still.length === 0) await send('UNWATCH')
    else await Promise.all([send('MULTI'), send('HDEL', entries, ...still), send('EXEC')])
  }

  async #follow(connection: RedisConnection): Promise<string | undefined> {
    const { changes } = toKeys(this.#settings)
    const command = ['XREAD', 'COUNT', '1000', 'STREAMS', changes, this.#lastId]
    const reply = await sendInTime(connection, this.#settings, command)
    const [stream] = (reply ?? []) as [[unknown, [unknown, unknown[]][]]?]
    for (const [id, [, text]] of stream?.[1] ?? []) {
      if (addText(this.#list, text) === 'full') return describeOverflow(this.#list)
      this.#lastId = String(id)
    }
    return undefined
  }
}

/** Compares two stream ids: milliseconds and a sequence number, joined by a hyphen (Redis documentation, "Streams"). */
function isEarlier(one: string, other: string): boolean {
  const [[oneMs = 0n, oneNumber = 0n], [otherMs = 0n, otherNumber = 0n]] = [one, other].map((id) =>
    id.split('-').map(BigInt),
  ) as [bigint[], bigint[]]
  return oneMs < otherMs || (oneMs === otherMs && oneNumber < otherNumber)
}

function describeOverflow({ size }: RevocationList): string {
  return `Redis has more than ${size} entries`
}

/** A text that is not an entry was not written by this program; it is ignored. */
function addText(list: RevocationList, text: unknown): 'added' | 'full' {
  const entry = parseRevocation(String(text))
  return 'problem' in entry ? 'added' : list.add(entry)
}

/** Returns the keys: a hash of the entries by id, and a stream of the changes. */
function toKeys({ prefix }: Pick<RedisSettings, 'prefix'>) {
  return { entries: `${prefix}entries`, changes: `${prefix}changes` }
}

function hasEnded(text: unknown, now: number): boolean {
  const entry = parseRevocation(String(text))
  return !('problem' in entry) && entry.until <= now
}

/** Sends a command, and closes the connection if the reply is late, so that late replies are ignored. */
function sendInTime(
  connection: RedisConnection,
  { waitMs }: Pick<RedisSettings, 'waitMs'>,
  command: readonly string[],
): Promise<unknown> {
  return waitForRedis(waitMs, (late) => {
    late.addEventListener('abort', () => connection.close(late.reason))
    return connection.send(command)
  })
}

/**
 * Writes entries for every verifier: first to the hash, which is authoritative, then to the stream, from which verifiers learn of them at
 * once.
 * @throws {HelperError} `unavailable` if Redis did not store all of them.
 */
async function writeRevocations(
  link: RedisLink,
  settings: RedisSettings,
  revocations: readonly Revocation[],
  note?: string,
): Promise<void> {
  try {
    const texts = revocations.map((each) => [each, renderRevocation(each, note)] as const)
    await writeOn(await link.connection(), settings, texts)
  } catch (error) {
    throw describeRedisFailure(error, settings.address)
  }
}

async function writeOn(
  connection: RedisConnection,
  settings: RedisSettings,
  texts: readonly (readonly [Revocation, string])[],
): Promise<void> {
  const { entries, changes } = toKeys(settings)
  const bound = ['MAXLEN', '~', String(keptChanges)]
  for (const [revocation, text] of texts) {
    await sendInTime(connection, settings, ['HSET', entries, toRevocationId(revocation), text])
    await sendInTime(connection, settings, ['XADD', changes, ...bound, '*', 'entry', text])
  }
}

/**
 * Writes entries from a program that does not follow them.
 * @throws {HelperError} `unavailable` if Redis did not store all of them.
 */
export async function sendRevocations(
  settings: RedisSettings,
  revocations: readonly Revocation[],
  note?: string,
): Promise<void> {
  const link = new RedisLink(settings, () => {})
  try {
    await writeRevocations(link, settings, revocations, note)
  } finally {
    link.close()
  }
}

/** Returns the prefix of the keys of revocations; the same Redis also holds the used tokens. */
export function toRevocationPrefix(redisPrefix: string): string {
  return `${toBasePrefix(redisPrefix)}revoked:`
}
