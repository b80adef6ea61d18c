import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { hostTarget, listRuntimes } from '../../pkg-scripts/executable/runtimes.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { comparedTargets, expectSmallFiles, locateRelease, writeRelease } from './written-release.ts'

/** The other platforms; the tests of the release cover those. */
const targets = listRuntimes()
  .map(({ target }) => target)
  .filter((target) => !comparedTargets.includes(target))

test.each(targets)(
  'nothing that is published for %s is over 47 MB, even with the least compression',
  async (target) => {
    await writeRelease(target)
    await expectSmallFiles(target)
    const names = (await readdir(locateRelease(target))).filter((name) => name.includes(target))
    expect(names).toHaveLength(target.startsWith('win32-') ? 6 : target.startsWith('linux-') ? 3 : 2)
  },
)

test.runIf(hostTarget === 'linux-x64')(
  'docs/executables.md says the sizes of executables within five per cent',
  async () => {
    const page = await readFile(join(root, 'docs', 'executables.md'), 'utf8')
    const [, ...said] = /^\| executable for Linux on x64 \| ([\d.]+) MiB \| ([\d.]+) MiB \|$/m.exec(page)!
    const { helpers, cli } = inject('suite')
    const built = await Promise.all([helpers, cli].map(async (path) => (await stat(path)).size / 2 ** 20))
    const far = built.filter((size, index) => Math.abs(Number(said[index]) / size - 1) > 0.05)
    expect(far, `write ${built.map((size) => size.toFixed(1)).join(' and ')}`).toEqual([])
  },
)
