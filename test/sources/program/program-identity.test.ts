import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { computeCacheKey } from '../../../src/helper/cache/store.ts'
import type { Environment } from '../../../src/runtime/run-process.ts'
import { collectProgramIdentity } from '../../../src/sources/program/program-identity.ts'
import { vendor } from '../../../src/vendor.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { identityVariables, noise } from './known-tools.ts'

let home = ''

beforeEach(async () => {
  home = await temporaryDirectory()
  for (const name of ['bin/get-token', 'bin/jq', 'other/get-token']) await writeProgram(name)
})

async function writeProgram(name: string): Promise<string> {
  const path = join(home, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '#!/bin/sh\n')
  await chmod(path, 0o755)
  return path
}

const byName: Parameters<typeof collectProgramIdentity>[1] = { name: 'get-token', args: ['--now'], path: undefined }
const toPath = (...directories: string[]) =>
  directories.map((name) => (name === '' ? name : join(home, name))).join(':')

/** Returns the key of the entry of a program that runs with this environment. */
async function keyOf(
  env: Environment,
  command = byName,
  watched: readonly string[] = [],
  platform: NodeJS.Platform = 'linux',
) {
  const host = { env: { HOME: home, PATH: toPath('bin'), ...env }, home, platform }
  const { inputs } = await collectProgramIdentity(host, command, { 'watch-variable': watched, watch: [] })
  return computeCacheKey({ program: 'command-token', table: {}, options: {}, inputs, vendor })
}

/** Says of each key which of them it is the same as: the place of the first one. */
async function comparePlaces(...keys: Promise<string>[]): Promise<number[]> {
  const all = await Promise.all(keys)
  return all.map((key) => all.indexOf(key))
}

describe('the key of a program that prints a token', () => {
  test.each(Object.entries(identityVariables))(
    'differs with every value of a variable by which %s choose',
    async (_, names) => {
      const values = fc.uniqueArray(fc.option(fc.string(), { nil: undefined }), { minLength: 2, maxLength: 4 })
      const rest = fc.dictionary(fc.constantFrom(...noise), fc.string())
      const check = fc.asyncProperty(values, rest, async (all, surrounding) => {
        const places = names.map((name) =>
          comparePlaces(...all.map((value) => keyOf({ ...surrounding, [name]: value }))),
        )
        expect(await Promise.all(places)).toEqual(names.map(() => [...all.keys()]))
      })
      await fc.assert(check, { numRuns: 5 })
    },
  )

  test('is the same with any variable of a terminal, a desktop or one process of a client, in any order', async () => {
    const rest = fc.dictionary(fc.constantFrom(...noise), fc.string())
    const directories = fc.array(fc.constantFrom('empty', 'missing/agent-1', 'bin/get-token', '', 'x y'), {
      maxLength: 4,
    })
    const same = { CLOUDSDK_CONFIG: '/c', VAULT_TOKEN: 't' }
    const key = await keyOf(same)
    await fc.assert(
      fc.asyncProperty(rest, directories, async (set, before) => {
        expect(
          await keyOf({ ...set, VAULT_TOKEN: 't', CLOUDSDK_CONFIG: '/c', PATH: toPath(...before, 'bin', ...before) }),
        ).toBe(key)
      }),
      { numRuns: 50 },
    )
  })

  test('has no secret that rotates beside its access key id, as in the AWS tools', async () => {
    const rotating = { AWS_SECRET_ACCESS_KEY: 'a', AWS_SESSION_TOKEN: 'b', AWS_CREDENTIAL_EXPIRATION: 'c' }
    expect(await keyOf(rotating)).toBe(await keyOf({}))
  })

  test('differs where another file of that name is found first, by PATH or by the option path', async () => {
    const found = (...names: string[]) => keyOf({ PATH: toPath(...names) })
    const named = (path: string) => keyOf({}, { ...byName, path })
    expect([
      await comparePlaces(found('bin', 'other'), found('other', 'bin')),
      await comparePlaces(named(toPath('other')), named(toPath('bin'))),
    ]).toEqual([
      [0, 1],
      [0, 1],
    ])
  })

  test('differs where the program is not on PATH, so that the login shell is asked for it, by the shell that is asked', async () => {
    const all = [{}, { PATH: '/nowhere' }, { PATH: '/nowhere/else' }, { PATH: '/nowhere', SHELL: '/bin/zsh' }]
    expect(await comparePlaces(...all.map((env) => keyOf(env)))).toEqual([0, 1, 1, 3])
  })

  test('is the same for a PATH that differs only in directories without programs', async () => {
    const relative = await keyOf({ PATH: `.:bin:${toPath('bin')}` })
    expect(relative).toBe(await keyOf({}))
  })

  test('differs with a variable that an option names', async () => {
    const tenant = (value: string | undefined) => keyOf({ TENANT: value }, byName, ['TENANT'])
    expect(await comparePlaces(...['a', 'b', '', undefined].map(tenant))).toEqual([0, 1, 2, 3])
  })

  test('differs with a variable that a word of the command is', async () => {
    const command = { name: '/usr/bin/printenv', args: ['MY_KEY'], path: undefined }
    expect(await keyOf({ MY_KEY: 'a' }, command)).not.toBe(await keyOf({ MY_KEY: 'b' }, command))
  })

  test('differs with the whole of PATH if an option names that', async () => {
    const whole = (path: string) => keyOf({ PATH: path }, byName, ['PATH'])
    expect(await whole(toPath('bin', 'empty'))).not.toBe(await whole(toPath('bin')))
  })

  test.each([
    ['/usr/bin/env', ['A=1', 'get-token']],
    ['/bin/sh', ['-c', 'get-token | jq -r .token']],
  ])('differs with the program inside another one that only starts it: %s %j', async (name, args) => {
    const inner = (...names: string[]) => keyOf({ PATH: toPath(...names) }, { name, args, path: undefined })
    const keys = [inner('bin', 'other'), inner('other', 'bin'), inner('empty', 'bin', 'other')]
    expect(await comparePlaces(...keys)).toEqual([0, 1, 0])
  })

  test('on Windows is that of the file with the first ending in PATHEXT', async () => {
    await writeProgram('windows/get-token.CMD')
    await writeProgram('windows/get-token.EXE')
    const keys = ['.EXE', '.COM;.EXE;.CMD', '.EXE;.CMD', '.CMD;.EXE'].map((endings) =>
      keyOf({ Path: toPath('windows'), PATH: undefined, PATHEXT: endings }, byName, [], 'win32'),
    )
    expect(await comparePlaces(...keys)).toEqual([0, 0, 0, 3])
  })
})

describe('the key of a line that a shell runs', () => {
  const keyOfLine = (line: string, env: Environment = {}) => keyOf(env, { line, path: undefined })

  test.each([
    'get-token --profile dev',
    'A=1 get-token',
    'get-token | jq .',
    'echo $(get-token)',
    '"get-token" x',
    'test -f x && get-token',
  ])('of %j has the program that is found, but not PATH', async (line) => {
    const first = await keyOfLine(line, { PATH: toPath('bin', 'other') })
    expect(await keyOfLine(line, { PATH: toPath('empty', 'bin', 'other') })).toBe(first)
    expect(await keyOfLine(line, { PATH: toPath('other', 'bin') })).not.toBe(first)
  })

  test.each(['$TOOL --x', `"\${TOOL}" | jq .`, 'eval "$TOOL"', 'a b c d e f g h i j k l m | n'])(
    'of %j, in which only the shell finds the program, has all of PATH',
    async (line) => {
      expect(await keyOfLine(line, { PATH: toPath('empty', 'bin') })).not.toBe(await keyOfLine(line))
    },
  )

  test('has the variables that the line names', async () => {
    const line = `get-token --tenant "$TENANT" \${TEAM:-none}`
    const keys = [{}, { TENANT: 'a' }, { TEAM: 'a' }, { TENANT: 'b' }].map((env) => keyOfLine(line, env))
    expect(new Set(await Promise.all(keys)).size).toBe(4)
    expect(await keyOfLine('%TOOL%', { TOOL: 'a' })).not.toBe(await keyOfLine('%TOOL%', { TOOL: 'b' }))
  })
})

test('a program by a relative path is another one in another directory, and is never looked for on PATH', async () => {
  const find = (line: string) =>
    collectProgramIdentity(
      { env: {}, home, platform: 'linux' },
      { line, path: undefined },
      { 'watch-variable': [], watch: [] },
    )
  const directoryOf = async (line: string) => [line, Object((await find(line)).inputs).directory]
  const relative = ['bin/get-token', './get-token x', 'A=1 "./get-token"', 'true && ./get-token']
  const others = ['/bin/x a/b', '~/bin/get-token a/b', '$HOME/bin/get-token', 'get-token a/b']
  expect(await Promise.all([...relative, ...others].map(directoryOf))).toEqual([
    ...relative.map((line) => [line, process.cwd()]),
    ...others.map((line) => [line, undefined]),
  ])
})

test('an explanation names the file of a program and the variables that count', async () => {
  const env = { HOME: home, PATH: toPath('bin'), TERM: 'x', TEAM: 'a', VAULT_ADDR: 'b', AWS_SESSION_TOKEN: 'c' }
  const found = await collectProgramIdentity({ env, home, platform: 'linux' }, byName, {
    'watch-variable': ['TEAM', 'NONE'],
    watch: [],
  })
  expect([found.programs, found.variables]).toEqual([[join(home, 'bin/get-token')], ['HOME', 'TEAM', 'VAULT_ADDR']])
})
