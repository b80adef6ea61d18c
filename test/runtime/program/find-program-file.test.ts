import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { notingSearches } from '../../../src/runtime/program/file-state.ts'
import { findProgramFile, isFoundUnchanged, type SeenProgram } from '../../../src/runtime/program/find-program-file.ts'
import { listNames } from '../../../src/runtime/program/identity-variables.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

let home = ''

beforeEach(async () => {
  home = await temporaryDirectory()
})

async function write(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(home, name)), { recursive: true })
    await writeFile(join(home, name), '#!/bin/sh\n')
    await chmod(join(home, name), 0o755)
  }
}

async function find(name: string, env: Record<string, string>, platform: NodeJS.Platform = 'linux') {
  const found = await findProgramFile({ name }, { env, platform })
  return found && relative(home, found.file)
}

test('a directory that depends on the working directory is passed over', async () => {
  await write('one/tool', 'two/tool')
  const path = `${relative(process.cwd(), join(home, 'one'))}:.::${home}/two`
  expect(await find('tool', { PATH: path })).toBe('two/tool')
  expect(await find('tool', {})).toBe(undefined)
})

test('on Windows a name gets the endings in PATHEXT or the usual ones, and one that has its own gets none', async () => {
  await write('bin/tool', 'bin/tool.BAT', 'bin/tool.PS1', 'bin/tool.exe.CMD')
  const at = (PATHEXT?: string) => ({ Path: join(home, 'bin'), ...(PATHEXT !== undefined && { PATHEXT }) })
  expect(await find('tool', at(), 'win32')).toBe('bin/tool.BAT')
  expect(await find('tool', at(';.PS1'), 'win32')).toBe('bin/tool.PS1')
  expect(await find('tool.exe', at(), 'win32')).toBe(undefined)
  expect(await find('tool.PS1', at(), 'win32')).toBe('bin/tool.PS1')
  expect(await find('tool', { PATH: join(home, 'bin') })).toBe('bin/tool')
})

test('a search is noted with the PATH of an option, and done in the same way again', async () => {
  await write('one/tool', 'two/tool')
  const noted: SeenProgram[] = []
  const env = { PATH: join(home, 'one') }
  const noting = { [notingSearches]: { env, note: (seen: SeenProgram) => void noted.push(seen) } }
  const host = (PATH: string) => ({ env: { PATH }, platform: 'linux' as const })
  for (const search of [{ name: 'tool' }, { name: 'tool', path: join(home, 'two') }, { name: 'none' }])
    await findProgramFile(search, { env: noting as never, platform: 'linux' })
  expect(noted.map(([name, path, found]) => [name, path, found?.startsWith(`${path ?? env.PATH}/tool `)])).toEqual([
    ['tool', null, true],
    ['tool', join(home, 'two'), true],
    ['none', null, undefined],
  ])
  const [byPath, byOption, missing] = noted
  expect(await isFoundUnchanged(byPath!, host(env.PATH))).toBe(true)
  expect(await isFoundUnchanged(byPath!, host(join(home, 'two')))).toBe(false)
  expect(await isFoundUnchanged(byOption!, host('/nowhere'))).toBe(true)
  expect(await isFoundUnchanged(missing!, host('/nowhere'))).toBe(true)
})

test('names are listed in order, by a prefix or by whether they count', () => {
  const env = { VAULT_ADDR: '', aws_profile: '', TERM: '', AWS_REGION: '', HOME: '' }
  expect(listNames(env, 'AWS_')).toEqual(['AWS_REGION', 'aws_profile'])
  expect(listNames(env, 'of identities')).toEqual(['AWS_REGION', 'HOME', 'VAULT_ADDR', 'aws_profile'])
})
