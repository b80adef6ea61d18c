import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readListing } from '../page.ts'
import { runInDirectory } from '../run-with-gateway.ts'

/** HAProxy has the Lua that is installed; here it compiles, and does not run. */
test('the Lua for Kong compiles', async () => {
  const { services } = parse(readListing({ page: 'kong', heading: 'With the verifier', path: 'kong.yml' }))
  const [code] = services[0].plugins[0].config.access
  const checked = runInDirectory(async (directory) => {
    await writeFile(join(directory, 'kong.lua'), `local function access()\n${code}\nend\n`)
    await writeFile(join(directory, 'haproxy.cfg'), `global\n  lua-load ${directory}/kong.lua\n`)
    return promisify(execFile)('/usr/sbin/haproxy', ['-c', '-f', join(directory, 'haproxy.cfg')]).catch(
      (error) => error,
    )
  })
  expect((await checked).stderr).not.toMatch(/syntax error|kong\.lua/)
})
