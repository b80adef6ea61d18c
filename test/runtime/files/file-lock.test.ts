import { once } from 'node:events'
import { chmod, lstat, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { type FileLock, openLock } from '../../../src/runtime/files/file-lock.ts'
import { UnsafeCacheError } from '../../../src/runtime/files/private-files.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const createLockPath = async () => join(await temporaryDirectory(), 'tool-abc.lock')

/** Opens a lock that is given back with the test at the latest. */
async function open(path: string): Promise<FileLock> {
  const lock = await openLock(path)
  onTestFinished(() => lock.release())
  return lock
}

test('one process has a lock, and the others may try again', async () => {
  const path = await createLockPath()
  const locks = await Promise.all([open(path), open(path), open(path)])
  // The message does not say which of them: their files are opened at the same time.
  const taken = await Promise.all(locks.map((lock) => lock.tryAcquire()))
  expect(taken.filter(Boolean)).toEqual([true])
  const others = locks.filter((_, index) => !taken[index])
  expect(await Promise.all(others.map((lock) => lock.tryAcquire()))).toEqual([false, false])
})

test('after a release the next process can acquire it', async () => {
  const path = await createLockPath()
  const [first, second] = [await openLock(path), await open(path)]
  expect([await first.tryAcquire(), await second.tryAcquire()]).toEqual([true, false])
  await first.release()
  expect(await second.tryAcquire()).toBe(true)
})

test('the file of a lock is empty and for its user alone', async () => {
  const path = await createLockPath()
  const lock = await open(path)
  await lock.tryAcquire()
  const { size, mode } = await lstat(path)
  expect([size, (mode & 0o7777).toString(8), await readdir(dirname(path))]).toEqual([0, '600', ['tool-abc.lock']])
})

test('another process has to wait for a lock, and has it as soon as the holder is killed', async () => {
  const path = await createLockPath()
  const module = join(import.meta.dirname, '../../../src/runtime/files/file-lock.ts')
  // The timer refers to the lock, which otherwise is released when it is collected.
  const script = `const lock = await (await import(${JSON.stringify(module)})).openLock(${JSON.stringify(path)})
console.log(await lock.tryAcquire()); setInterval(() => lock, 1000)`
  const holder = execa(process.execPath, ['--input-type=module', '--eval', script], { reject: false })
  onTestFinished(() => void holder.kill('SIGKILL'))
  const [said] = await once(holder.stdout, 'data')
  const lock = await open(path)
  const meanwhile = await lock.tryAcquire()
  holder.kill('SIGKILL')
  await holder
  expect({ holder: String(said), meanwhile, after: await lock.tryAcquire() }).toEqual({
    holder: 'true\n',
    meanwhile: false,
    after: true,
  })
})

test('a link in place of a lock is refused by name', async () => {
  const path = await createLockPath()
  await symlink('/nowhere', path)
  await expect(openLock(path)).rejects.toEqual(new UnsafeCacheError(`${path} is a link (run: rm '${path}')`))
})

test('a pipe in place of a lock is refused by name', async () => {
  const pipe = await createLockPath()
  await execa('mkfifo', ['-m', '600', pipe])
  await expect(openLock(pipe)).rejects.toEqual(
    new UnsafeCacheError(`${pipe} is not a regular file (run: rm '${pipe}')`),
  )
})

test('a lock that others can write is refused by name', async () => {
  const shared = await createLockPath()
  await writeFile(shared, '')
  await chmod(shared, 0o666)
  await expect(openLock(shared)).rejects.toEqual(
    new UnsafeCacheError(`${shared} can be written by other users (run: chmod go-w '${shared}')`),
  )
})

test('a file with other content cannot be locked, and the error says why', async () => {
  const path = await createLockPath()
  await writeFile(path, 'x'.repeat(5_000), { mode: 0o600 })
  const lock = await open(path)
  await expect(lock.tryAcquire()).rejects.toEqual(
    Object.assign(new Error('file is not a database'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: 26,
      errstr: 'file is not a database',
    }),
  )
})
