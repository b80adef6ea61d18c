import { setTimeout as sleep } from 'node:timers/promises'
import type { EnduranceStage, Trouble } from './stage.ts'

/** How often each thing happens, in seconds, and for how long afterwards an answer may be that of before or of nobody. */
const rhythm = {
  policy: { everySec: 13, settledSec: 5 },
  keys: { everySec: 37, settledSec: 15 },
  redis: { everySec: 53, settledSec: 15 },
  process: { everySec: 29, settledSec: 5 },
} as const satisfies Record<Trouble, { everySec: number; settledSec: number }>

/** How long Redis is away each time. */
const awayMs = 2_000

/** Changes and kills in turn until it is over, and then counts how often. */
export async function startDisturbances(stage: EnduranceStage, isOver: () => boolean): Promise<Record<string, number>> {
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
    const { everySec, settledSec } = rhythm[trouble]
    for (let count = 0; ; count += 1) {
      for (let left = everySec; left > 0 && !isOver(); left -= 1) await sleep(1_000)
      if (isOver()) return count
      stage.troubleUntil[trouble] = Infinity
      await causes[trouble]()
      stage.troubleUntil[trouble] = Date.now() + settledSec * 1000
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
