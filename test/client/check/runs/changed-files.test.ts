import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { findReadableChanges } from '../../../../src/client/check/runs/changed-files.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

test('finds what is new and open to everybody, and nothing behind a closed directory', async () => {
  const root = await temporaryDirectory()
  const write = (path: string, mode: number) => writeFile(join(root, path), path, { mode })
  await chmod(root, 0o755)
  await mkdir(join(root, 'open/deep'), { recursive: true })
  await mkdir(join(root, 'closed'), { mode: 0o700 })
  await write('open/deep/log', 0o644)
  await write('open/private', 0o600)
  await write('closed/log', 0o644)
  const names = async (since: number) => (await findReadableChanges([root], since)).map(({ path }) => basename(path))
  expect(await names(Date.now() - 60_000)).toEqual(['log'])
  expect(await names(Date.now() + 60_000)).toEqual([])
  await chmod(root, 0o700)
  expect(await names(0)).toEqual([])
})

test('a root that is not there is passed over', async () => {
  expect(await findReadableChanges(['/nonexistent/cache'], 0)).toEqual([])
})
