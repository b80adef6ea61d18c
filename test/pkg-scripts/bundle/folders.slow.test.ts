import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle, bundleAll } from '../../../pkg-scripts/bundle/bundle.ts'
import { createCliProgram } from '../../../pkg-scripts/bundle/programs.ts'
import { listPackages } from '../../../pkg-scripts/bundle/render-analysis.ts'
import { root } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('bundles are the same bytes in every folder that their sources lie in', async () => {
  const { metafile } = await bundle(createCliProgram()) // it holds every helper
  // Some are resolved, and nothing of them is kept.
  const read = Object.keys(metafile.inputs).flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  )
  const build = async (folder: string) => {
    const tree = join(await temporaryDirectory(), folder)
    const filter = (path: string) => !/[\\/]dist-(cjs|types)$/.test(path)
    for (const part of new Set(['helpers', 'src', 'package.json', ...listPackages({ metafile }), ...read]))
      await cp(join(root, part), join(tree, part), { recursive: true, filter })
    await bundleAll({ tree }, join(tree, 'out'))
    return readAll(join(tree, 'out'))
  }
  const one = await build('here')
  const other = await build('in/another place')
  expect(one.size).toBeGreaterThan(2)
  expect(other).toEqual(one)
})

async function readAll(directory: string): Promise<Map<string, string>> {
  const names = (await readdir(directory)).sort()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name), 'latin1')] as const)),
  )
}
