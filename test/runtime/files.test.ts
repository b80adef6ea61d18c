import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expandHome, readAhead, readIfPresent } from '../../src/runtime/disk.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

test('a file is read, and a missing one is not a failure', async () => {
  const path = join(await temporaryDirectory(), 'file')
  expect(await readIfPresent(path)).toBeUndefined()
  await writeFile(path, 'ä\n')
  expect(await readIfPresent(path)).toBe('ä\n')
})

test('a file that is read ahead is read once, and anew for who asks later', async () => {
  const home = await temporaryDirectory()
  const path = join(home, 'file')
  await writeFile(path, 'first')
  readAhead([path, home, join(home, 'missing')])
  await expect.poll(() => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq'))).toEqual([])
  await writeFile(path, 'second')
  expect([await readIfPresent(path), await readIfPresent(path)]).toEqual(['first', 'second'])
  expect(await readIfPresent(join(home, 'missing'))).toBeUndefined()
  await expect(readIfPresent(home)).rejects.toEqual(
    new HelperError('not-configured', `cannot read ${home} (EISDIR)`, 'it is a directory: name a file'),
  )
})

test('what cannot be read says why', async () => {
  const home = await temporaryDirectory()
  const [directory, file, long] = ['directory', 'file', 'long'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ]
  await Promise.all([mkdir(directory), writeFile(file, ''), writeFile(long, '')])
  await truncate(long, 5 * 1024 * 1024 + 1)
  const failures = [
    [directory, `cannot read ${directory} (EISDIR)`, 'it is a directory: name a file'],
    [
      join(file, 'below'),
      `cannot read ${join(file, 'below')} (ENOTDIR): a part of the path is a file, not a directory`,
      'name a path in a directory',
    ],
    [long, `${long} is longer than 5 MiB`, `name another file; look at this one with: ls -ld '${long}'`],
  ] as const
  for (const [path, message, hint] of failures)
    await expect(readIfPresent(path)).rejects.toThrow(new HelperError('not-configured', message, hint))
})

test.each([
  ['~/a', '/home/dana/a'],
  ['~a', '~a'],
  ['/~/a', '/~/a'],
])('%s expands to %s', (path, expanded) => {
  expect(expandHome(path, '/home/dana')).toBe(expanded)
})
