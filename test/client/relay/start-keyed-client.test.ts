import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join, relative } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createProxyExemption, resolveClientProgram } from '../../../src/client/relay/start-keyed-client.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

let home = ''

beforeEach(async () => {
  home = await temporaryDirectory()
  for (const name of ['named/tool', 'first/tool', 'second/tool', 'second/other']) {
    await mkdir(join(home, name, '..'), { recursive: true })
    await writeFile(join(home, name), '#!/bin/sh\n')
    await chmod(join(home, name), 0o755)
  }
})

function resolve(name: string, directories: readonly string[] = ['first', 'second']) {
  const PATH = directories.map((directory) => join(home, directory)).join(delimiter)
  return resolveClientProgram({ name, args: ['-x'] }, { env: { PATH }, platform: 'linux' })
}

test.each<[what: string, toName: () => string, file: string]>([
  ['its full path, before PATH', () => join(home, 'named/tool'), 'named/tool'],
  ['its name in the first directory of PATH', () => 'tool', 'first/tool'],
  ['its name in a later directory of PATH', () => 'other', 'second/other'],
])('a client is found by %s', async (_, toName, file) => {
  expect(await resolve(toName())).toEqual({ file: join(home, file), args: ['-x'] })
})

test('a client is found by its path from the working directory, without PATH', async () => {
  const file = join(home, 'named/tool')
  expect(await resolve(relative(process.cwd(), file), [])).toEqual({ file, args: ['-x'] })
})

test.each<[what: string, toName: () => string]>([
  ['a path at which there is none, whatever is on PATH', () => join(home, 'named/other')],
  ['a name that no directory of PATH has', () => 'missing'],
])('a client is not found by %s', async (_, toName) => {
  const name = toName()
  await expect(resolve(name)).rejects.toEqual(
    new HelperError('not-configured', `there is no program ${name}`, 'install it, or write its full path'),
  )
})

test.each<[env: Readonly<Record<string, string>>, list: string | undefined]>([
  [{}, undefined],
  [{ NO_PROXY: 'intranet' }, undefined],
  [{ HTTPS_PROXY: '' }, undefined],
  [{ HTTPS_PROXY: 'http://proxy:1' }, '127.0.0.1'],
  [{ http_proxy: 'http://proxy:1', NO_PROXY: 'intranet' }, 'intranet,127.0.0.1'],
  [{ ALL_PROXY: 'http://proxy:1', no_proxy: 'a', NO_PROXY: 'b' }, 'a,127.0.0.1'],
])('with %j requests to this machine go through no proxy', (env, list) => {
  expect(createProxyExemption(env)).toEqual(list === undefined ? {} : { NO_PROXY: list, no_proxy: list })
})
