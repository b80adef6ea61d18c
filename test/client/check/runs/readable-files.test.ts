import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { collectReadableFiles } from '../../../../src/client/check/runs/exposed-files.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

async function createFolder(): Promise<string> {
  const root = await temporaryDirectory()
  const write = (path: string, mode: number, text: string = path) => writeFile(join(root, path), text, { mode })
  await chmod(root, 0o755)
  await mkdir(join(root, 'open/deep'), { recursive: true })
  await mkdir(join(root, 'closed'), { mode: 0o700 })
  await write('open/deep/log', 0o644)
  await write('open/deep/large', 0o644, 'x'.repeat(100_000))
  await write('open/private', 0o600)
  await write('closed/log', 0o644)
  return root
}

/** More than the test's folders hold. */
const limits = { entries: 1000, ms: 60_000 }

const past = () => Date.now() - 60_000
const future = () => Date.now() + 60_000

test('finds files that everybody can read, but none behind a closed directory', async () => {
  const root = await createFolder()
  const find = async (since: number) => {
    const { files, isComplete } = await collectReadableFiles([{ path: root, isAlwaysPrivate: false }], since, limits)
    const shown = files.map(({ path, isNew, isReachable }) => [relative(root, path), isNew, isReachable])
    return { files: shown.sort(), isComplete }
  }
  const [log, large] = ['open/deep/log', 'open/deep/large']
  const open = { new: await find(past()), old: await find(future()) }
  await chmod(root, 0o700)
  expect({ ...open, closed: await find(future()) }).toEqual({
    new: {
      files: [
        [large, true, true],
        [log, true, true],
      ],
      isComplete: true,
    },
    old: { files: [[log, false, true]], isComplete: true },
    closed: { files: [[log, false, false]], isComplete: true },
  })
})

test('a root that is private on every machine is searched only where it is not', async () => {
  const root = await createFolder()
  const list = async () => {
    const { files } = await collectReadableFiles([{ path: root, isAlwaysPrivate: true }], future(), limits)
    return files.map(({ path }) => relative(root, path))
  }
  const open = await list()
  await chmod(root, 0o700)
  expect({ open, closed: await list() }).toEqual({ open: ['open/deep/log'], closed: [] })
})

test('looks at the first root first and at no entry twice, and says when there was more', async () => {
  const root = await createFolder()
  const roots = [join(root, 'open/deep'), root].map((path) => ({ path, isAlwaysPrivate: false }))
  const find = async (entries: number) => {
    const { files, isComplete } = await collectReadableFiles(roots, future(), { ...limits, entries })
    return [files.map(({ path }) => relative(root, path)), isComplete]
  }
  expect(await find(2)).toEqual([['open/deep/log'], false])
  expect(await find(100)).toEqual([['open/deep/log'], true])
})

test('a missing root is skipped', async () => {
  const roots = [{ path: '/nonexistent/cache', isAlwaysPrivate: false }]
  expect(await collectReadableFiles(roots, 0, limits)).toEqual({ files: [], isComplete: true })
})
