import { expect, test } from 'vitest'
import { measurePaging } from '../../../pkg-scripts/bench/paging.ts'
import { startLoadServer } from '../../../pkg-scripts/bench/start-load-server.ts'

const mib = 2 ** 20

test('a hundred thousand resources of one session are paged through in constant memory', async () => {
  const resources = 100_000
  using gateway = await startLoadServer({ resources }, 64)
  await measurePaging(gateway, resources, 1)
  const { before, after } = await measurePaging(gateway, resources, 2)
  // A server that fetched all that is left for each page would have run out of its heap. The resources are 25 MiB of text: once kept is 25.
  expect(after.heapBytes - before.heapBytes).toBeLessThan(8 * mib)
  expect(after.residentBytes - before.residentBytes).toBeLessThan(64 * mib)
})
