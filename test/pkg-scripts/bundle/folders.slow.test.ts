import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle, bundleAll } from '../../../pkg-scripts/bundle/bundle.ts'
import { createCliProgram } from '../../../pkg-scripts/bundle/programs.ts'
import { listPackages } from '../../../pkg-scripts/bundle/render-analysis.ts'
import { bundleDirectory, root } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('bundles are the same bytes in every folder that their sources lie in', async () => {
  const { metafile } = await bundle(createCliProgram()) // it holds every helper
  // Some are resolved, and nothing of them is kept.
  const read = Object.keys(metafile.inputs).flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  )
  const tree = join(await temporaryDirectory(), 'in/another place')
  const filter = (path: string) => !/[\\/]dist-(cjs|types)$/.test(path)
  for (const part of new Set([
    ...['helpers', 'src', 'package.json', 'tsconfig.json'],
    ...listPackages({ metafile }),
    ...read,
  ]))
    await cp(join(root, part), join(tree, part), { recursive: true, filter })
  await bundleAll({ tree }, join(tree, 'out'))
  // Those of this folder were built before the tests.
  const own = await readAll(bundleDirectory)
  expect(own.size).toBeGreaterThan(2)
  expect(await readAll(join(tree, 'out'))).toEqual(own)
})

async function readAll(directory: string): Promise<Map<string, string>> {
  const names = (await readdir(directory)).sort()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name), 'latin1')] as const)),
  )
}
