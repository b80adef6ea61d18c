import { expect, test } from 'vitest'
import { measurePaging } from '../../../pkg-scripts/bench/paging.ts'
import { startLoadServer } from '../../../pkg-scripts/bench/start-load-server.ts'

const mib = 2 ** 20

test('a hundred thousand resources of one session are paged through in constant memory, five times', async () => {
  const resources = 100_000
  using gateway = await startLoadServer({ resources })
  await measurePaging(gateway, resources, 1)
  const { before, after } = await measurePaging(gateway, resources, 5)
  // The resources are 25 MiB of text: once kept is 25, all five times 125.
  expect(after.heapBytes - before.heapBytes).toBeLessThan(8 * mib)
  expect(after.residentBytes - before.residentBytes).toBeLessThan(64 * mib)
  // A server that fetched all that is left for each page would need several times as much as that at its worst.
  expect(after.peakBytes - before.residentBytes).toBeLessThan(96 * mib)
})
