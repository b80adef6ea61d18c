import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { resolveProgram } from '../../../src/sources/program/resolve-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableText } from '../../setup/to-stable-text.ts'

interface Search {
  /** The directories of the home that have a program `tool`. */
  readonly in: readonly ('named' | 'option' | 'path' | 'login')[]
  /** The path of the program in place of its name. */
  readonly named?: string
  readonly option?: true
}

/** Looks for `tool` with the PATH `path`, a login shell whose PATH is `login`, and perhaps the option `path`, which is `option`. */
async function resolve({ in: directories, named, option }: Search) {
  const home = await temporaryDirectory()
  const write = async (name: string, script: string) => {
    await writeFile(join(home, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(home, name), 0o755)
  }
  for (const directory of ['named', 'option', 'path', 'login']) await mkdir(join(home, directory))
  for (const directory of directories) await write(`${directory}/tool`, 'true')
  await write('shell', `PATH=${JSON.stringify(join(home, 'login'))}; shift $(($# - 1)); eval "$1"`)
  const env = { HOME: home, PATH: join(home, 'path'), SHELL: join(home, 'shell') }
  const program = { name: named ? join(home, named) : 'tool', args: [], path: option && join(home, 'option') }
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0 })
  const { file, path, location } = await resolveProgram({ env, home, platform: 'linux' }, { deadline }, program)
  return { file: file.replace(`${home}/`, ''), path: path?.replace(`${home}/`, ''), location }
}

const everywhere = ['named', 'option', 'path', 'login'] as const

// Each place counts before those of the rows below it.
test.each<[search: Search, found: Awaited<ReturnType<typeof resolve>>]>([
  [
    { in: everywhere, named: 'named/tool', option: true },
    { file: 'named/tool', path: 'option', location: 'named by its path' },
  ],
  [
    { in: everywhere, option: true },
    { file: 'option/tool', path: 'option', location: 'found on the option path' },
  ],
  [{ in: everywhere }, { file: 'path/tool', path: undefined, location: 'found on PATH' }],
  [
    { in: ['named', 'option', 'login'] },
    { file: 'login/tool', path: 'login', location: "found on the login shell's PATH" },
  ],
])('a program with %j is found in one place', async (search, found) => {
  expect(await resolve(search)).toEqual(found)
})

test.each<[search: Search, message: string]>([
  [{ in: ['path', 'login'], option: true }, 'tool is in none of the directories of the option path'],
  [{ in: ['named', 'option'] }, "tool is not in any directory of PATH or of the login shell's PATH"],
])('a program with %j is found nowhere', async (search, message) => {
  const hint = 'write the absolute path of the program, or set path to the directories to look in'
  await expect(resolve(search)).rejects.toEqual(new HelperError('not-configured', message, hint))
})

test('a program that is named by its path is looked for there alone', async () => {
  const search = resolve({ in: ['option', 'path', 'login'], named: 'named/tool', option: true })
  const { kind, message, hint } = await search.then(
    () => Promise.reject(new Error('it was found')),
    (error: HelperError) => error,
  )
  expect([kind, toStableText(message), hint]).toEqual([
    'not-configured',
    'TEMPORARY/named/tool does not exist',
    'correct the path; if the text holds arguments as well, give the program and each of them as a word of its own, because no shell splits it',
  ])
})
