import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runExecutable } from '../../setup/run-program.ts'
import { readListing } from '../page.ts'
import { runInDirectory } from '../run-with-gateway.ts'

/** HAProxy has the Lua that is installed; here it compiles, and does not run. */
test('the Lua for Kong compiles', async () => {
  const { services } = parse(readListing({ page: 'kong', heading: 'With the verifier', path: 'kong.yml' }))
  const [code] = services[0].plugins[0].config.access
  const checked = await runInDirectory(async (directory) => {
    await writeFile(join(directory, 'kong.lua'), `local function access()\n${code}\nend\n`)
    await writeFile(join(directory, 'haproxy.cfg'), `global\n  lua-load ${directory}/kong.lua\n`)
    return runExecutable('/usr/sbin/haproxy', { argv: ['-c', '-f', join(directory, 'haproxy.cfg')] })
  })
  expect(checked).toEqual({
    status: 2,
    stdout: 'Configuration file has no error but will not start (no listener) => exit(2).\n',
    stderr: '',
  })
})
