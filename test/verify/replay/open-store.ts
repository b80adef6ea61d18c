import { onTestFinished } from 'vitest'
import { Secret } from '../../../src/runtime/secret.ts'
import type { ReplayStore, ReplayStoreReport } from '../../../src/verify/replay/memory-replay-store.ts'
import { openRedisReplayStore } from '../../../src/verify/replay/open-redis-replay-store.ts'
import { parseRedisAddress, type RedisSettings } from '../../../src/verify/replay/redis-address.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'

export const noNetwork: RedisSettings['network'] = {
  proxy: undefined,
  noProxy: undefined,
  authorities: [],
  systemFiles: { file: undefined, directory: undefined },
  verification: 'on',
}

interface StoreOptions extends Partial<Omit<RedisSettings, 'address' | 'password'>> {
  readonly password?: string
  readonly now?: () => number
}

/** Opens a store, and what it has reported. It is closed with the test. */
export async function openStore(url: string, { password, now = Date.now, ...options }: StoreOptions = {}) {
  const reports: ReplayStoreReport[] = []
  const settings: RedisSettings = {
    address: parseRedisAddress(url),
    password: async () => (password === undefined ? undefined : new Secret(password)),
    network: noNetwork,
    prefix: 'gatepass:used:',
    waitMs: 5_000,
    ...options,
  }
  const store = await openRedisReplayStore(settings, { now, report: (report) => reports.push(report) })
  onTestFinished(() => store.close())
  return { store, reports }
}

/** Returns the result of a use, or the refusal's reason and note. */
export async function tryUse(store: ReplayStore, digest: string, until = Date.now() + 60_000): Promise<string> {
  try {
    return await store.use(digest, until)
  } catch (error) {
    if (error instanceof TokenRefusal) return `${error.reason}: ${error.note}`
    throw error
  }
}
