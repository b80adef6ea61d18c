import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'

/** The most files that one has to open to follow a call, as docs/architecture.md says. They only fall. */
const most = { 'an uncached call': 65, 'a cached call without a memo': 59, 'a cached call': 22, 'config check': 55 }

test('a call runs through no more files than one reads in one sitting', async () => {
  const { stdout } = await execa(process.execPath, ['pkg-scripts/walk.ts'], { cwd: root })
  const counts = Object.fromEntries(
    [...stdout.matchAll(/^(\S.*): (\d+) files$/gm)].map(([, call = '', count]) => [call, Number(count)]),
  )
  const beyond = Object.entries(most).filter(([call, files]) => !(counts[call]! <= files))
  expect({ calls: Object.keys(counts), beyond }).toEqual({ calls: Object.keys(most), beyond: [] })
})
