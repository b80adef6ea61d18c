import { appendFile, chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  appendRevocations,
  type RevocationFileEvent,
  startFollowingRevocations,
} from '../../../src/verify/revocation/revocation-file.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { waitUntil } from '../../setup/wait-until.ts'

const dana = { kind: 'subject', value: 'dana', issuer: undefined, before: Infinity, until: Infinity } as const

async function followFile(content: string) {
  const path = join(await temporaryDirectory(), 'revoked.jsonl')
  await writeFile(path, content)
  const events: RevocationFileEvent[] = []
  const observe = (event: RevocationFileEvent) => events.push(event)
  const source = await startFollowingRevocations(path, { now: Date.now, observe })
  onTestFinished(() => source.close())
  const subjects = (...names: string[]) =>
    names.filter((subject) => {
      const identity = { kind: 'jwt', issuer: 'i', subject, claims: {}, issuedAt: 0, expiresAt: 0 } as const
      return source.list.find(identity)
    })
  return { path, events, source, subjects }
}

test('a line that is appended to a file counts, also without its end', async () => {
  const { path, events, subjects } = await followFile('# people who left\n\n{"subject":"lee"}\n')
  const before = subjects('lee', 'dana')
  await appendFile(path, '{"subject":"dana"}')
  await waitUntil('the file is read again', () => events.length === 2)
  expect({ before, after: subjects('lee', 'dana'), events }).toEqual({
    before: ['lee'],
    after: ['lee', 'dana'],
    events: [
      { kind: 'read', entries: 1 },
      { kind: 'read', entries: 2 },
    ],
  })
})

test('the command appends to a file whose last line has no end', async () => {
  const { path, subjects } = await followFile('{"subject":"lee"}')
  await appendRevocations(path, [{ ...dana, value: 'kim' }], 'ticket 4711')
  await waitUntil('kim is revoked', () => subjects('kim').length === 1)
  expect(subjects('lee', 'dana', 'kim')).toEqual(['lee', 'kim'])
})

test('only the entries of a file that replaces another count', async () => {
  const { path, events, subjects } = await followFile('{"subject":"lee"}\n{"subject":"dana"}\n')
  await writeFile(`${path}.new`, '{"subject":"dana"}\n')
  await rename(`${path}.new`, path)
  await waitUntil('lee is no longer revoked', () => subjects('lee').length === 0)
  expect({ revoked: subjects('lee', 'dana'), events }).toEqual({
    revoked: ['dana'],
    events: [
      { kind: 'read', entries: 2 },
      { kind: 'read', entries: 1 },
    ],
  })
})

test('a line that cannot be used is reported with its number, and the other lines count', async () => {
  const { path, events, subjects } = await followFile('{"subject":"lee"}\n')
  await appendFile(path, '{"subjekt":"dana"}\n{"subject":"kim"}\n')
  await waitUntil('kim is revoked', () => subjects('kim').length === 1)
  expect({ revoked: subjects('lee', 'dana', 'kim'), events }).toEqual({
    revoked: ['lee', 'kim'],
    events: [
      { kind: 'read', entries: 1 },
      { kind: 'problem', message: `${path}, line 2: Unrecognized key: "subjekt"; the other lines count` },
    ],
  })
})

test('the entries of a file that is removed count on, and the removal is reported', async () => {
  const { path, events, source, subjects } = await followFile('{"subject":"lee"}\n')
  await rm(path)
  await waitUntil('the file is refused', () => source.problem() !== undefined)
  expect({ revoked: subjects('lee'), problem: source.problem(), events }).toEqual({
    revoked: ['lee'],
    problem: `there is no ${path}`,
    events: [
      { kind: 'read', entries: 1 },
      { kind: 'problem', message: `there is no ${path}; the earlier entries count` },
    ],
  })
})

test('a file that is emptied and written again goes on refusing', async () => {
  useFakeTimers('timeouts and intervals')
  const { path, events, source } = await followFile('{"subject":"dana"}\n')
  const [looking, settling] = [vi.getTimerCount(), vi.getTimerCount() + 1]
  const empty = async () => {
    await writeFile(path, '')
    vi.advanceTimersToNextTimer()
    await waitUntil('the empty file is seen', () => vi.getTimerCount() === settling)
  }
  await empty()
  await writeFile(path, '{"subject":"dana"}\n{"subject":"lee"}\n')
  vi.advanceTimersByTime(200)
  await waitUntil('a later look reads the file', () => {
    if (vi.getTimerCount() === looking) vi.advanceTimersToNextTimer()
    return events.length === 2
  })
  const whole = source.list.size
  await empty()
  vi.advanceTimersByTime(200)
  await waitUntil('the empty file is read', () => events.length === 3)
  expect({ whole, events }).toEqual({
    whole: 2,
    events: [1, 2, 0].map((entries) => ({ kind: 'read', entries })),
  })
})

test('an entry that is added counts at once', async () => {
  const { path, source, subjects } = await followFile('')
  await rm(path)
  await source.add([dana])
  const found = subjects('dana')
  const { mode } = await stat(path)
  expect({ found, mode: mode & 0o777, text: await readFile(path, 'utf8') }).toEqual({
    found: ['dana'],
    mode: 0o600,
    text: '{"subject":"dana"}\n',
  })
})

test('a file that is missing or that others can write is refused at the start', async () => {
  const path = join(await temporaryDirectory(), 'revoked.jsonl')
  const start = () =>
    startFollowingRevocations(path, { now: Date.now, observe: () => {} }).then(
      (source) => source.close(),
      ({ message }) => message,
    )
  const missing = await start()
  await writeFile(path, '')
  await chmod(path, 0o666)
  expect([missing, await start()]).toEqual([
    `the list of revocations cannot be used: there is no ${path}`,
    `the list of revocations cannot be used: ${path} can be written by other users`,
  ])
})

test('an entry that the disk does not take fails', async () => {
  const failure = await appendRevocations('/dev/full', [dana]).catch(({ kind, message }) => ({ kind, message }))
  expect(failure).toEqual({ kind: 'refused', message: '/dev/full cannot be written (ENOSPC)' })
})
