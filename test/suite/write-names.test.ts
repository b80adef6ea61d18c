import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HelperError } from '../../src/runtime/failure.ts'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { writeNames } from '../../src/suite/run-without-helper.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const helpers = ['first', 'second', 'third']

/** Prepares a directory with an executable, and what else an installation may have left there. */
async function startMachine(extension: string) {
  const directory = await temporaryDirectory()
  const executable = join(directory, suiteName + extension)
  await writeFile(executable, 'program')
  await writeFile(join(directory, `first${extension}`), 'an older program')
  await writeFile(join(directory, `first${extension}.new`), 'left by a run that was killed')
  await writeFile(join(directory, 'first.json'), '{}')
  return { directory, executable }
}

test.each(['', '.exe'])('names that end in "%s" become links, again and again', async (extension) => {
  const { directory, executable } = await startMachine(extension)
  await writeNames(executable, helpers)
  await writeNames(executable, helpers)
  const names = [...helpers, suiteName].map((name) => name + extension)
  const inodes = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).ino))
  expect({ names: (await readdir(directory)).sort(), programs: new Set(inodes).size }).toEqual({
    names: [...names, 'first.json'].sort(),
    programs: 1,
  })
})

test('a name that cannot be replaced is reported, and the others are replaced', async () => {
  const { directory, executable } = await startMachine('')
  await mkdir(join(directory, 'second'))
  await expect(writeNames(executable, helpers)).rejects.toEqual(
    new HelperError(
      'not-configured',
      `cannot replace second in ${directory}`,
      'end the programs that run under these names, and run it again as an administrator',
    ),
  )
  const left = (await readdir(directory)).filter((name) => name.endsWith('.new'))
  expect([await readFile(join(directory, 'third'), 'utf8'), left]).toEqual(['program', []])
})

test('a program of another name, such as a runtime, is not linked', async () => {
  const { directory } = await startMachine('')
  await expect(writeNames(join(directory, 'node'), helpers)).rejects.toEqual(
    new HelperError('usage', 'this executable is not called gatepass-helpers', 'rename it, and run it again'),
  )
  expect(await readFile(join(directory, 'first'), 'utf8')).toBe('an older program')
})
