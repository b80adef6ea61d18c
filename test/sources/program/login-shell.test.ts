import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { resolveProgram } from '../../../src/sources/program/resolve-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const call = () => ({ deadline: new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0 }) })
const program = { name: 'get-token', args: [], path: undefined }

/** Prepares a home with a program in a folder that is on no PATH, and a login shell of the test's own. */
async function startHome(shell: string, env: Record<string, string> = {}) {
  const home = await temporaryDirectory()
  await mkdir(join(home, 'tools'))
  for (const [name, script] of [
    ['tools/get-token', 'true'],
    ['shell', shell],
  ] as const) {
    await writeFile(join(home, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(home, name), 0o755)
  }
  const host = {
    env: { HOME: home, PATH: '/usr/bin', SHELL: join(home, 'shell'), ...env },
    home,
    platform: 'linux',
  } as const
  return { home, find: () => resolveProgram(host, call(), program) }
}

/** The program of a shell whose startup file sets PATH, says things, and leaves a process behind. */
const good = 'echo welcome; PATH=$HOME/tools:/usr/bin; export PATH; sleep 60 & shift $(($# - 1)); eval "$1"'

const foundIn = (home: string) => ({
  file: `${home}/tools/get-token`,
  path: `${home}/tools:/usr/bin`,
  location: "found on the login shell's PATH",
})

test('a program that is not on PATH is found on that of the login shell, which it runs with', async () => {
  const { home, find } = await startHome(good)
  expect(await find()).toEqual(foundIn(home))
})

test('the shell is a login shell that is interactive, without a display, and told who asks', async () => {
  const script = `[ "$1 $2 $3" = '-l -i -c' ] && [ -z "$DISPLAY" ] && [ "$GATEPASS_ASKING_LOGIN_SHELL" = 1 ] || exit 1\n${good}`
  const { home, find } = await startHome(script, { DISPLAY: ':0' })
  expect(await find()).toEqual(foundIn(home))
})

test.each<[what: string, shell: string, env: Record<string, string>, rest: string]>([
  ['the login shell has none either', 'shift $(($# - 1)); eval "$1"', {}, " or of the login shell's PATH"],
  ['the login shell fails', 'exit 1', {}, ', and SHELL did not print its PATH'],
  [
    'its startup file asks',
    good,
    { GATEPASS_ASKING_LOGIN_SHELL: '1' },
    ', and this runs in a startup file of the login shell',
  ],
  ['the shell is a relative path', good, { SHELL: 'sh' }, ', and there is no login shell to ask'],
  ['nobody may log in', good, { SHELL: '/usr/sbin/nologin' }, ', and there is no login shell to ask'],
])('a program that is not found is reported with where it was looked for: %s', async (_, shell, env, rest) => {
  const { home, find } = await startHome(shell, env)
  await expect(find()).rejects.toEqual(
    new HelperError(
      'not-configured',
      `get-token is not in any directory of PATH${rest.replace('SHELL', `${home}/shell`)}`,
      'write the absolute path of the program, or set path to the directories to look in',
    ),
  )
})

test('on Windows the endings of the system complete a name, and no shell is asked', async () => {
  const { home } = await startHome(good)
  await writeFile(join(home, 'tools/az.CMD'), '')
  await chmod(join(home, 'tools/az.CMD'), 0o755)
  const env = { Path: `${home}/tools`, PATHEXT: '.EXE;.CMD', SHELL: join(home, 'shell') }
  const find = (name: string) => resolveProgram({ env, home, platform: 'win32' }, call(), { ...program, name })
  expect(await find('az')).toEqual({ file: `${home}/tools/az.CMD`, path: undefined, location: 'found on PATH' })
  await expect(find('gh')).rejects.toEqual(
    new HelperError(
      'not-configured',
      'gh is not in any directory of PATH',
      'write the absolute path of the program, or set path to the directories to look in',
    ),
  )
})
