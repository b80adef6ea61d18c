import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expandHome, readAhead, readIfPresent } from '../../src/runtime/disk.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

test('a file is read', async () => {
  const path = join(await temporaryDirectory(), 'file')
  await writeFile(path, 'ä\n')
  expect(await readIfPresent(path)).toBe('ä\n')
})

test('a missing file is not a failure', async () => {
  expect(await readIfPresent(join(await temporaryDirectory(), 'file'))).toBeUndefined()
})

test('a file that is read ahead is read once', async () => {
  const home = await temporaryDirectory()
  const path = join(home, 'file')
  await writeFile(path, 'first')
  readAhead([path, home, join(home, 'missing')])
  await expect.poll(() => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq'))).toEqual([])
  await writeFile(path, 'second')
  const texts = [await readIfPresent(path), await readIfPresent(path), await readIfPresent(join(home, 'missing'))]
  expect(texts).toEqual(['first', 'second', undefined])
  await expect(readIfPresent(home)).rejects.toEqual(
    new HelperError('not-configured', `cannot read ${home} (EISDIR)`, 'it is a directory: name a file'),
  )
})

test.each([
  ['a directory', 'directory', 'cannot read PATH (EISDIR)', 'it is a directory: name a file'],
  [
    'a path below a file',
    'file/below',
    'cannot read PATH (ENOTDIR): a part of the path is a file, not a directory',
    'name a path in a directory',
  ],
  ['a long file', 'long', 'PATH is longer than 5 MiB', "name another file; look at this one with: ls -ld 'PATH'"],
])('%s says why it cannot be read', async (_, name, message, hint) => {
  const home = await temporaryDirectory()
  const path = join(home, name)
  await Promise.all([
    mkdir(join(home, 'directory')),
    writeFile(join(home, 'file'), ''),
    writeFile(join(home, 'long'), ''),
  ])
  await truncate(join(home, 'long'), 5 * 1024 * 1024 + 1)
  const [told, way] = [message, hint].map((text) => text.replace('PATH', path))
  await expect(readIfPresent(path)).rejects.toEqual(new HelperError('not-configured', told!, way!))
})

test.each([
  ['~/a', '/home/dana/a'],
  ['~a', '~a'],
  ['/~/a', '/~/a'],
])('%s expands to %s', (path, expanded) => {
  expect(expandHome(path, '/home/dana')).toBe(expanded)
})
