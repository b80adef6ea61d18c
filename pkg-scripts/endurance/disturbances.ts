import { setTimeout as sleep } from 'node:timers/promises'
import type { EnduranceStage, Trouble } from './stage.ts'

/** The interval of each disturbance, in seconds. */
const everySec = { policy: 13, keys: 37, redis: 53, process: 29 } as const satisfies Record<Trouble, number>

/** Changes and kills in turn until the run is over. Returns how often each happened. */
export async function runDisturbances(stage: EnduranceStage, isOver: () => boolean): Promise<Record<string, number>> {
  const causes: Record<Trouble, () => Promise<void>> = {
    policy: async () => {
      stage.isBlueIn = !stage.isBlueIn
      await stage.writePolicy()
      stage.reload()
    },
    keys: async () => {
      await stage.issuer.rotate()
      stage.issuer.withdrawOldKeys()
    },
    redis: async () => {
      await stage.killRedis()
      await sleep(awayMs)
      await stage.startRedis()
    },
    process: stage.killProcess,
  }
  const repeat = async (trouble: Trouble) => {
    for (let count = 0; ; count += 1) {
      for (let left = everySec[trouble]; left > 0 && !isOver(); left -= 1) await sleep(1_000)
      if (isOver()) return count
      const from = Date.now()
      stage.troubles[trouble] = { from, until: Infinity }
      await causes[trouble]()
      stage.troubles[trouble] = { from, until: Date.now() }
    }
  }
  const [policy, keys, redis, killed] = await Promise.all([
    repeat('policy'),
    repeat('keys'),
    repeat('redis'),
    repeat('process'),
  ])
  return { reloads: policy, 'key rotations': keys, 'restarts of Redis': redis, 'killed processes': killed }
}

/** How long Redis is down each time. */
const awayMs = 2_000
