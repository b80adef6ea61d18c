import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { changeSharedFile, type LockedFile, readSharedFile } from '../../../../src/sources/aws/files/shared-file.ts'
import { failureOf } from '../../../setup/failure-parts.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

const deadline = new Deadline({ seconds: 30, hint: 'h' }, { elapsedMs: () => 0 })

function change(path: string, make: (file: LockedFile) => Promise<string>, whenBusy: 'wait' | 'leave' = 'wait') {
  return changeSharedFile(path, deadline, { otherRun: 'another run', whenBusy, find: async () => undefined, make })
}

test('a file and its missing directories are created for their user alone, and nothing but a lock is left beside it', async () => {
  const root = await temporaryDirectory()
  const directory = join(root, 'sso', 'cache')
  const path = join(directory, 'a.json')
  const result = await change(path, async (file) => {
    expect(await file.read()).toBeUndefined()
    await file.write('{}')
    return 'made'
  })
  const modes = await Promise.all([directory, path].map(async (name) => ((await stat(name)).mode & 0o777).toString(8)))
  expect([result, modes, await readdir(directory), await readFile(path, 'utf8')]).toEqual([
    'made',
    ['700', '600'],
    ['a.json', 'a.json.lock'],
    '{}',
  ])
})

test('one process at a time changes a shared file', async () => {
  const path = join(await temporaryDirectory(), 'a.json')
  const events: string[] = []
  const work = (name: string) => async () => {
    events.push(`${name} begins`)
    await new Promise((resolve) => setTimeout(resolve, 30))
    events.push(`${name} ends`)
    return name
  }
  const inside = await change(path, async () => {
    const waiting = change(path, work('second'))
    const leaving = await change(path, work('third'), 'leave')
    await work('first')()
    return JSON.stringify([leaving, typeof waiting.then])
  })
  await expect.poll(() => events).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  expect(inside).toBe('[null,"function"]')
})

test('a file that another process has just made is taken while the lock is busy', async () => {
  const path = join(await temporaryDirectory(), 'a.json')
  const found = await change(path, async () => {
    const find = async () => 'found'
    const make = async () => 'made'
    return (await changeSharedFile(path, deadline, { otherRun: 'o', whenBusy: 'wait', find, make })) ?? ''
  })
  expect(found).toBe('found')
})

test('a link is neither read nor replaced', async () => {
  const directory = await temporaryDirectory()
  const [target, path] = [join(directory, 'target'), join(directory, 'a.json')]
  await writeFile(target, 'theirs')
  await symlink(target, path)
  const failure = [
    'not-configured',
    `${path} is a link, through which no sign-in is read or written`,
    `remove it with: rm '${path}'`,
  ]
  expect(await failureOf(readSharedFile(path))).toEqual(failure)
  const writing = change(path, async (file) => {
    await file.write('ours')
    return 'written'
  })
  expect([await failureOf(writing), await readFile(target, 'utf8')]).toEqual([failure, 'theirs'])
})

test.runIf(process.platform !== 'win32')('a file that everybody can write, or no file at all, is refused', async () => {
  const directory = await temporaryDirectory()
  const [open, folder] = [join(directory, 'a.json'), join(directory, 'b.json')]
  await writeFile(open, '{}')
  await chmod(open, 0o666)
  await mkdir(folder)
  expect([await failureOf(readSharedFile(open)), await failureOf(readSharedFile(folder))]).toEqual([
    ['not-configured', `${open} can be written by every user of this machine`, `run: chmod o-w '${open}'`],
    ['not-configured', `${folder} is not a regular file`, `look at it with: ls -ld '${folder}'; then remove it`],
  ])
})

test('a file of a group is read, as a umask of 002 leaves it', async () => {
  const path = join(await temporaryDirectory(), 'a.json')
  await writeFile(path, 'text')
  await chmod(path, 0o664)
  expect([await readSharedFile(path), await readSharedFile(`${path}.missing`)]).toEqual(['text', undefined])
})

test('the message names the place where nothing can be written', async () => {
  const parent = join(await temporaryDirectory(), 'file')
  await writeFile(parent, '')
  expect(await failureOf(change(join(parent, 'a.json'), async () => 'made'))).toEqual([
    'not-configured',
    `${parent} is not a directory`,
    `look at it with: ls -ld '${parent}'`,
  ])
})
