import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { buildRelease } from '../../pkg-scripts/release/build-release.ts'
import { root } from '../../pkg-scripts/tree.ts'

/** Targets of which one test builds everything twice. */
export const comparedTargets: readonly string[] = [hostTarget, 'win32-x64']

/** Returns where the files for a target stay after the tests: `.ci/run` tries them. */
export function locateRelease(target: string): string {
  return join(root, 'dist', 'test', 'releases', target)
}

/** Builds everything that is published for a target, with the least compression. */
export async function writeRelease(target: string): Promise<void> {
  const directory = locateRelease(target)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  for await (const { name, content } of buildRelease([target], {}, { compression: 0 }))
    await writeFile(join(directory, name), content)
}

/** Requires of everything that is published for a target that it is small, even with the least compression. */
export async function expectSmallFiles(target: string): Promise<void> {
  const directory = locateRelease(target)
  const names = await readdir(directory)
  const sizes = await Promise.all(
    names.map(async (name) => ({ name, bytes: (await stat(join(directory, name))).size })),
  )
  expect(sizes.filter(({ bytes }) => bytes > 47e6)).toEqual([])
}
