import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { listRuntimes } from '../../pkg-scripts/executable/runtimes.ts'
import { comparedTargets, expectSmallFiles, locateRelease, writeRelease } from './written-release.ts'

/** The other platforms; the tests of the release cover those. */
const targets = listRuntimes()
  .map(({ target }) => target)
  .filter((target) => !comparedTargets.includes(target))

test.each(targets)(
  'nothing that is published for %s is over 46 MB, even with the least compression',
  async (target) => {
    await writeRelease(target)
    await expectSmallFiles(target)
    const names = (await readdir(locateRelease(target))).filter((name) => name.includes(target))
    expect(names).toHaveLength(target.startsWith('win32-') ? 4 : 2)
  },
)
