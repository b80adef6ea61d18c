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

test('a directory that depends on the working directory is skipped', async () => {
  await write('one/tool', 'two/tool')
  const path = `${relative(process.cwd(), join(home, 'one'))}:.::${home}/two`
  expect(await find('tool', { PATH: path })).toBe('two/tool')
  expect(await find('tool', {})).toBe(undefined)
})

test('on Windows a name gets the endings in PATHEXT, or the usual ones, unless it has an ending', async () => {
  await write('bin/tool', 'bin/tool.BAT', 'bin/tool.PS1', 'bin/tool.exe.CMD')
  const at = (PATHEXT?: string) => ({ Path: join(home, 'bin'), ...(PATHEXT !== undefined && { PATHEXT }) })
  const found = {
    byUsualEnding: await find('tool', at(), 'win32'),
    byPathext: await find('tool', at(';.PS1'), 'win32'),
    withTwoEndings: await find('tool.exe', at(), 'win32'),
    withItsOwn: await find('tool.PS1', at(), 'win32'),
    elsewhere: await find('tool', { PATH: join(home, 'bin') }),
  }
  expect(found).toEqual({
    byUsualEnding: 'bin/tool.BAT',
    byPathext: 'bin/tool.PS1',
    withTwoEndings: undefined,
    withItsOwn: 'bin/tool.PS1',
    elsewhere: 'bin/tool',
  })
})

test('a search is noted with the PATH of an option, and can be repeated', async () => {
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
  const unchanged = {
    byPath: await isFoundUnchanged(byPath!, host(env.PATH)),
    byOtherPath: await isFoundUnchanged(byPath!, host(join(home, 'two'))),
    byOption: await isFoundUnchanged(byOption!, host('/nowhere')),
    missing: await isFoundUnchanged(missing!, host('/nowhere')),
  }
  expect(unchanged).toEqual({ byPath: true, byOtherPath: false, byOption: true, missing: true })
})

test('names are listed in order, by a prefix or by whether they count', () => {
  const env = { VAULT_ADDR: '', aws_profile: '', TERM: '', AWS_REGION: '', HOME: '' }
  expect(listNames(env, 'AWS_')).toEqual(['AWS_REGION', 'aws_profile'])
  expect(listNames(env, 'of identities')).toEqual(['AWS_REGION', 'HOME', 'VAULT_ADDR', 'aws_profile'])
})
