import type { Host } from '../../../runtime/host.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { createMemoryReplayStore } from '../../../verify/replay/memory-replay-store.ts'
import { openRedisReplayStore } from '../../../verify/replay/redis/open-redis-replay-store.ts'
import { parseRedisAddress } from '../../../verify/replay/redis/redis-address.ts'
import { defaultRedisWaitMs, readRedisPassword } from '../../../verify/replay/redis/redis-settings.ts'
import type { ReplayStore, ReplayStoreReport } from '../../../verify/replay/replay-store.ts'
import type { Log } from '../../../verify/server/log.ts'
import type { VerifierFlags } from './flags.ts'

/**
 * Opens what remembers used tokens: Redis where the flags name one, the memory of this process otherwise.
 * @throws {HelperError} for settings that cannot be used; a Redis that is away is only logged.
 */
export async function openReplayStore(
  { redis, redisPasswordFile: file, redisPrefix: prefix, replayEntries: entries }: VerifierFlags,
  { host, network, log }: { readonly host: Host; readonly network: NetworkSettings; readonly log: Log },
): Promise<ReplayStore> {
  const { now } = host.clock
  if (redis === undefined) return createMemoryReplayStore({ now, entries })
  const password = () => readRedisPassword(file, host.env)
  const settings = { address: parseRedisAddress(redis), password, network, prefix, waitMs: defaultRedisWaitMs }
  return openRedisReplayStore(settings, { now, report: (report) => tellReport(log, report) })
}

function tellReport(log: Log, report: ReplayStoreReport): void {
  if (report.kind === 'available') {
    log.tell({ level: 'info', event: 'redis', message: 'Redis answers' })
    return
  }
  const { kind, message, hint } = report
  log.tell({ level: 'warning', event: kind === 'warning' ? 'redis' : 'redis-unavailable', message, facts: { hint } })
}
