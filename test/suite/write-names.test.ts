import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { runWithoutHelper } from '../../src/suite/run-without-helper.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { testHost } from '../setup/test-host.ts'

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

/** Runs the executable with `--link-names`, and returns its status and what it says. */
async function linkNames(executable: string): Promise<[status: number, stderr: string]> {
  const host = await testHost({ argv: ['--link-names'] })
  const load = () => Promise.reject(new Error('it is not run'))
  const { status } = await runWithoutHelper(new Map(helpers.map((name) => [name, load])), host, executable)
  return [status, host.written.stderr]
}

test.each(['', '.exe'])('names that end in "%s" become links, again and again', async (extension) => {
  const { directory, executable } = await startMachine(extension)
  expect([await linkNames(executable), await linkNames(executable)]).toEqual([
    [0, ''],
    [0, ''],
  ])
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
  expect(await linkNames(executable)).toEqual([
    3,
    `gatepass-helpers: cannot replace second in ${directory}\ngatepass-helpers: hint: end the programs that run under these names, and run it again as an administrator\n`,
  ])
  const left = (await readdir(directory)).filter((name) => name.endsWith('.new'))
  expect([await readFile(join(directory, 'third'), 'utf8'), left]).toEqual(['program', []])
})

test('a program of another name, such as a runtime, is not linked', async () => {
  const { directory } = await startMachine('')
  expect(await linkNames(join(directory, 'node'))).toEqual([
    2,
    'gatepass-helpers: this executable is not called gatepass-helpers\ngatepass-helpers: hint: rename it, and run it again\n',
  ])
  expect(await readFile(join(directory, 'first'), 'utf8')).toBe('an older program')
})
