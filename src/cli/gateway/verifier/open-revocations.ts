import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import type { ReplayStoreReport } from '../../../verify/replay/memory-replay-store.ts'
import {
  defaultRedisWaitMs,
  parseRedisAddress,
  type RedisSettings,
  readRedisPassword,
} from '../../../verify/replay/redis-address.ts'
import { type RevocationFileEvent, startFollowingRevocations } from '../../../verify/revocation/revocation-file.ts'
import { createRevocations, type RevocationSource, type Revocations } from '../../../verify/revocation/revocations.ts'
import type { Log, LogEntry } from '../../../verify/server/log.ts'
import { type PolicyFlags, unnamedRedisHint } from './verifier-flags.ts'

/**
 * Opens every list of revocations.
 * @throws {HelperError} `not-configured` for a file that cannot be read; a Redis that cannot be reached is only logged.
 */
export async function openRevocations(flags: PolicyFlags, parts: OpenParts): Promise<OpenedRevocations> {
  const { now } = parts.host.clock
  const sources: RevocationSource[] = []
  const close = () => {
    for (const source of sources) source.close()
  }
  try {
    for (const where of new Set(flags.revocations)) {
      const observe = (event: RevocationFileEvent) => parts.log.tell(describeRevocationEvent(where, event))
      const source =
        where === inRedis ? await openInRedis(flags, parts) : await startFollowingRevocations(where, { now, observe })
      sources.push(source)
    }
  } catch (thrown) {
    close()
    throw thrown
  }
  const recorder = sources.find(({ name }) => name === inRedis) ?? sources[0]
  return { revocations: createRevocations(sources, flags.revocationsUnknown), recorder, close }
}

/** The word for the list in Redis, used in place of a path. */
const inRedis = 'redis'

interface OpenParts {
  readonly host: Pick<Host, 'clock' | 'env'>
  readonly network: NetworkSettings
  readonly log: Log
  readonly report: (report: ReplayStoreReport) => void
}

/** The lists of revocations in the flags. */
interface OpenedRevocations {
  readonly revocations: Revocations
  /** The list for new events: that in Redis, otherwise the first file. */
  readonly recorder: RevocationSource | undefined
  close(): void
}

/**
 * Returns the settings of the Redis with revocations.
 * @throws {HelperError} `usage` without one in the flags.
 */
export async function requireRevocationRedis(
  { redis, redisPasswordFile, redisPrefix }: Pick<PolicyFlags, 'redis' | 'redisPasswordFile' | 'redisPrefix'>,
  env: Host['env'],
  network: NetworkSettings,
): Promise<RedisSettings> {
  if (redis === undefined) throw new HelperError('usage', 'revocations in Redis need a Redis', unnamedRedisHint)
  const { toRevocationPrefix } = await import('../../../verify/revocation/redis-revocations.ts')
  return {
    address: parseRedisAddress(redis),
    password: () => readRedisPassword(redisPasswordFile, env),
    prefix: toRevocationPrefix(redisPrefix),
    waitMs: defaultRedisWaitMs,
    network,
  }
}

/** Describes a change of a file for the log; pure. */
function describeRevocationEvent(path: string, event: RevocationFileEvent): LogEntry {
  if (event.kind === 'problem') return { level: 'error', event: 'revocations-refused', message: event.message }
  const facts = { entries: event.entries }
  return { level: 'info', event: 'revocations', message: `the revocations of ${path} are in force`, facts }
}

async function openInRedis(flags: PolicyFlags, { host, network, report }: OpenParts): Promise<RevocationSource> {
  const { openRedisRevocations } = await import('../../../verify/revocation/redis-revocations.ts')
  return openRedisRevocations(await requireRevocationRedis(flags, host.env, network), { now: host.clock.now, report })
}
