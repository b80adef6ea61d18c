import { readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { type EntryLocation, toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { sweepCache } from '../../../src/helper/cache/sweep.ts'
import { openLock } from '../../../src/runtime/files/file-lock.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const now = Date.UTC(2026, 0, 15, 12)

async function startCache() {
  const directory = await temporaryDirectory()
  const placeOf = (key: string): EntryLocation => ({ directory, program: 'tool', key })
  const write = (name: string, text: string) => writeFile(join(directory, name), text, { mode: 0o600 })
  /** Lists every file but the locks. */
  const list = async () => (await readdir(directory)).filter((name) => !name.endsWith('.lock')).sort()
  return { directory, placeOf, write, list }
}

const endingAt = (expiresAt: number, format = 1) => JSON.stringify({ format, expiresAt, token: 'sk-1' })

test('entries of any helper and format are removed when they have ended', async () => {
  const { directory, write, list } = await startCache()
  await write('tool-a.json', endingAt(now))
  await write('other-tool-b.json', endingAt(now - 1, 7))
  await write('tool-c.json', endingAt(now + 1))
  await write('tool-d.json', endingAt(now + 1, 7))
  await sweepCache(directory, now)
  expect(await list()).toEqual(['tool-c.json', 'tool-d.json'])
})

test('drafts of dead processes are removed at once, and notes once an early renewal may follow', async () => {
  const { directory, write, list } = await startCache()
  await write('tool-a.tmp', '{"tok')
  for (const [name, agoSec] of [
    ['tool-a.holder', 5400],
    ['tool-b.holder', 5399],
    ['tool-c.holder', -1],
  ] as const) {
    await write(name, '{}')
    await utimes(join(directory, name), now / 1000 - agoSec, now / 1000 - agoSec)
  }
  await sweepCache(directory, now)
  expect(await list()).toEqual(['tool-b.holder'])
})

test('outcomes that nobody was told for 30 days are removed', async () => {
  const { directory, write, list } = await startCache()
  const bound = now / 1000 - 30 * 86_400
  for (const [name, changed] of [
    ['outcomes.spool', bound],
    ['outcomes.claimed-all-1-2-0', bound],
    ['outcomes.kept-otlp', bound + 1],
    ['outcomes.failed-log', bound],
    ['outcomes.turn-1', bound],
    ['outcomes.of-mine', bound],
  ] as const) {
    await write(name, '')
    await utimes(join(directory, name), changed, changed)
  }
  await sweepCache(directory, now)
  expect(await list()).toEqual(['outcomes.kept-otlp', 'outcomes.of-mine'])
})

test('records of assertions are removed when they expire, but not under a held lock', async () => {
  const { directory, placeOf, write, list } = await startCache()
  for (const [name, end] of [
    ['ab1', now],
    ['cd1', now + 1],
    ['ef1', now - 1],
  ] as const)
    for (const kind of ['used', 'sent']) await write(`tool-${name}.${kind}`, JSON.stringify({ expiresAt: end }))
  const lock = await openLock(toCacheFilePath(placeOf('ef'), 'lock'))
  onTestFinished(() => lock.release())
  await lock.tryAcquire()
  await sweepCache(directory, now)
  expect(await list()).toEqual(['tool-cd1.sent', 'tool-cd1.used', 'tool-ef1.sent', 'tool-ef1.used'])
})

test('a record that a full disk left empty stays for as long as an identity token may be valid', async () => {
  const { directory, write, list } = await startCache()
  const year = 366 * 24 * 3_600
  for (const [name, minted] of [
    ['tool-ab1.used', now / 1000 - year],
    ['tool-ab2.used', now / 1000 - year + 1],
    ['tool-ab3.sent', now / 1000 - year],
    ['tool-ab4.sent', now / 1000],
  ] as const) {
    await write(name, '')
    await utimes(join(directory, name), minted, minted)
  }
  await sweepCache(directory, now)
  expect(await list()).toEqual(['tool-ab2.used', 'tool-ab4.sent'])
})

test('nothing of a key is removed while its lock is held', async () => {
  const { directory, placeOf, write, list } = await startCache()
  const lock = await openLock(toCacheFilePath(placeOf('abc'), 'lock'))
  onTestFinished(() => lock.release())
  await lock.tryAcquire()
  for (const name of ['tool-abc.json', 'tool-abd.json']) await write(name, endingAt(now - 1))
  for (const name of ['tool-abc.tmp', 'tool-abc.holder', 'tool-abd.tmp']) await write(name, '')
  await sweepCache(directory, now)
  expect(await list()).toEqual(['tool-abc.holder', 'tool-abc.json', 'tool-abc.tmp'])
})

test('lock files stay at any age', async () => {
  const { directory, write } = await startCache()
  await write('tool-a.lock', '')
  await utimes(join(directory, 'tool-a.lock'), 0, 0)
  await sweepCache(directory, now)
  expect(await readdir(directory)).toEqual(['tool-a.lock'])
})

test('foreign files stay, such as truncated files, links, pipes and directories', async () => {
  const { directory, write, list } = await startCache()
  await write('README', '')
  await write('tool.json', endingAt(1))
  await write('tool-a.json', '{"format":1,"tok')
  await symlink(join(directory, 'README'), join(directory, 'tool-b.json'))
  await execa('mkfifo', ['-m', '600', join(directory, 'tool-c.json')])
  await execa('mkdir', [join(directory, 'tool-d.json')])
  const before = await list()
  await sweepCache(directory, now)
  expect(await list()).toEqual(before)
})

test('files that vanish meanwhile cause no error', async () => {
  const { directory, write, list } = await startCache()
  const names = Array.from({ length: 40 }, (_, index) => `tool-${index}.json`)
  for (const name of names) await write(name, endingAt(now - 1))
  await Promise.all([
    sweepCache(directory, now),
    sweepCache(directory, now),
    ...names.map((name) => rm(join(directory, name), { force: true })),
  ])
  expect(await list()).toEqual([])
})

test('an entry that is replaced before its lock is taken stays', async () => {
  const { directory, placeOf, write, list } = await startCache()
  const keys = Array.from({ length: 60 }, (_, index) => `a${index}`)
  for (const key of keys) await write(`tool-${key}.json`, endingAt(now - 1))
  const sweep = sweepCache(directory, now)
  // The first one goes when the sweep has looked at all of them.
  while ((await list()).length === keys.length) await setImmediate()
  const replaced: string[] = []
  for (const name of await list()) {
    const lock = await openLock(toCacheFilePath(placeOf(name.slice('tool-'.length, -'.json'.length)), 'lock'))
    if ((await lock.tryAcquire()) && (await list()).includes(name)) {
      await write(name, endingAt(now + 1))
      replaced.push(name)
    }
    await lock.release()
  }
  await sweep
  expect(await list()).toEqual(replaced)
  expect(replaced).not.toEqual([])
})

test('a part of very many files is examined each time, until all expired ones are removed', async () => {
  const { directory, write, list } = await startCache()
  await Promise.all(
    Array.from({ length: 200 }, (_, index) => write(`tool-${index}.json`, endingAt(index < 150 ? now - 1 : now + 1))),
  )
  await sweepCache(directory, now)
  expect((await list()).length).toBeGreaterThanOrEqual(200 - 64)
  for (let round = 0; round < 100 && (await list()).length > 50; round += 1) await sweepCache(directory, now)
  expect(await list()).toHaveLength(50)
})
