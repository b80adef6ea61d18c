import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const run = promisify(execFile)

test('a checkout by the settings of Git for Windows has the bytes of the repository, but in the script that Windows runs', async () => {
  const checkout = join(await temporaryDirectory(), 'checkout')
  const windows = ['-c', 'core.autocrlf=true', '-c', 'core.eol=crlf']
  await run('git', [...windows, 'clone', '--quiet', '--no-hardlinks', `file://${root}`, checkout])
  const { stdout } = await run('git', [...windows, 'ls-files', '--eol'], { cwd: checkout, maxBuffer: 2 ** 26 })
  const changed = stdout
    .split('\n')
    .filter((line) => !/^(i\/(lf|none) +w\/(lf|none) .*|.* attr\/-text .*|)$/.test(line))
  expect(changed.map((line) => line.split('\t')[1])).toEqual(['packaging/sign-windows.cmd'])
})
