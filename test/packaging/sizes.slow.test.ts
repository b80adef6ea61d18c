import { expect, test } from 'vitest'
import { hostTarget, listRuntimes } from '../../pkg-scripts/executable/runtimes.ts'
import { buildRelease } from '../../pkg-scripts/release/build-release.ts'

/** The other platforms; the tests of the release cover this one. */
const targets = listRuntimes()
  .map(({ target }) => target)
  .filter((target) => target !== hostTarget)

test.each(targets)(
  'nothing that is published for %s is over 45 MB, even with the least compression',
  async (target) => {
    const sizes = new Map<string, number>()
    for await (const { name, content } of buildRelease([target], {}, { compression: 0 }))
      sizes.set(name, content.length)
    expect([...sizes].filter(([, bytes]) => bytes > 45e6)).toEqual([])
    expect([...sizes].filter(([name]) => name.includes(target))).toHaveLength(target.startsWith('win32-') ? 4 : 2)
  },
)
