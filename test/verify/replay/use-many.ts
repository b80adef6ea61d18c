import { openRedisReplayStore } from '../../../src/verify/replay/open-redis-replay-store.ts'
import { parseRedisAddress } from '../../../src/verify/replay/redis-address.ts'

/** Run as a verifier's process: uses one token many times at once, and prints how often each result came. */
const [address = '', digest = '', count = '', beginAt = ''] = process.argv.slice(2)
const none = undefined
const store = await openRedisReplayStore(
  {
    address: parseRedisAddress(address),
    password: async () => none,
    network: {
      proxy: none,
      noProxy: none,
      authorities: [],
      systemFiles: { file: none, directory: none },
      verification: 'on',
    },
    prefix: 'gatepass:used:',
    waitMs: 5_000,
  },
  { now: Date.now, report: () => {} },
)
await new Promise((begin) => setTimeout(begin, Number(beginAt) - Date.now()))
const uses = await Promise.all(Array.from({ length: Number(count) }, () => store.use(digest, Date.now() + 60_000)))
process.stdout.write(JSON.stringify({ first: uses.filter((use) => use === 'first').length, uses: uses.length }))
await store.close()
