import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { downloadPackage } from '../../../pkg-scripts/executable/download-package.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const integrity = `sha512-${createHash('sha512').update('packed').digest('base64')}`
const pinned = { packageName: 'left', version: '1.2.3', integrity }

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Puts an npm on the path that fails this many times before it packs. Gives the number of its runs. */
async function standInForNpm(failures: number): Promise<() => Promise<number>> {
  const directory = await temporaryDirectory()
  const asked = join(directory, 'asked')
  const script = `#!/bin/sh
echo "$2" >> '${asked}'
for directory; do :; done
[ "$(wc -l < '${asked}')" -gt ${failures} ] || { echo 'npm error network' >&2; exit 1; }
printf packed > "$directory/left-1.2.3.tgz"
`
  await writeFile(join(directory, 'npm'), script, { mode: 0o755 })
  vi.stubEnv('PATH', `${directory}:/usr/bin:/bin`)
  return async () => (await readFile(asked, 'utf8')).split('left@1.2.3\n').length - 1
}

test('a download is retried while the registry is unreachable', async () => {
  const asked = await standInForNpm(2)
  const said = vi.spyOn(console, 'error').mockReturnValue()
  const packed = await downloadPackage(pinned, [1, 1, 1])
  expect({ packed, asked: await asked(), said: said.mock.calls }).toEqual({
    packed: Buffer.from('packed'),
    asked: 3,
    said: Array(2).fill(['npm pack left@1.2.3 failed: npm error network\ntrying again in 0.001 s']),
  })
})

test('the last attempt fails with the words of npm', async () => {
  const asked = await standInForNpm(9)
  vi.spyOn(console, 'error').mockReturnValue()
  await expect(downloadPackage(pinned, [1, 1])).rejects.toEqual(
    new Error('npm pack left@1.2.3 failed: npm error network\n'),
  )
  expect(await asked()).toBe(3)
})

test('a package that is not the pinned one is refused, without a retry', async () => {
  const asked = await standInForNpm(0)
  await expect(downloadPackage({ ...pinned, integrity: 'sha512-x' }, [1])).rejects.toEqual(
    new Error(`left@1.2.3 is not what package-lock.json pins: ${integrity}`),
  )
  expect(await asked()).toBe(1)
})
