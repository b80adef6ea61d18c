import { appendFile, chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  appendRevocations,
  type RevocationFileEvent,
  startFollowingRevocations,
} from '../../../src/verify/revocation/revocation-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { waitUntil } from '../../setup/wait-until.ts'

const dana = { kind: 'subject', value: 'dana', issuer: undefined, before: Infinity, until: Infinity } as const

async function followFile(content: string, settleMs?: number) {
  const path = join(await temporaryDirectory(), 'revoked.jsonl')
  await writeFile(path, content)
  const events: RevocationFileEvent[] = []
  const observe = (event: RevocationFileEvent) => events.push(event)
  const source = await startFollowingRevocations(path, {
    now: Date.now,
    observe,
    intervalMs: 5,
    ...(settleMs && { settleMs }),
  })
  onTestFinished(() => source.close())
  const subjects = (...names: string[]) =>
    names.filter((subject) => {
      const identity = { kind: 'jwt', issuer: 'i', subject, claims: {}, issuedAt: 0, expiresAt: 0 } as const
      return source.list.find(identity)
    })
  return { path, events, source, subjects }
}

test('a file is followed: appended to, replaced, with lines that cannot be used, and away', async () => {
  const { path, events, source, subjects } = await followFile('# people who left\n\n{"subject":"lee"}\n')
  const seen = [subjects('lee', 'dana')]
  await appendFile(path, '{"subject":"dana"}') // without the end of the line
  await waitUntil('the file is read again', () => events.length === 2)
  seen.push(subjects('lee', 'dana'))
  await appendRevocations(path, [{ ...dana, value: 'kim' }], 'ticket 4711')
  await waitUntil('kim is revoked', () => subjects('kim').length === 1)
  await writeFile(`${path}.new`, '{"subject":"dana"}\n{"subjekt":"lee"}\n{"subject":"kim"}\n')
  await rename(`${path}.new`, path)
  await waitUntil('lee is no longer revoked', () => subjects('lee').length === 0)
  seen.push(subjects('lee', 'dana', 'kim'))
  await rm(path)
  await waitUntil('the file is refused', () => source.problem() !== undefined)
  seen.push(subjects('lee', 'dana', 'kim'))
  expect({ seen, problem: source.problem(), events }).toEqual({
    seen: [['lee'], ['lee', 'dana'], ['dana', 'kim'], ['dana', 'kim']],
    problem: `there is no ${path}`,
    events: [
      { kind: 'read', entries: 1 },
      { kind: 'read', entries: 2 },
      { kind: 'read', entries: 3 },
      { kind: 'problem', message: `${path}, line 2: Unrecognized key: "subjekt"; the other lines count` },
      { kind: 'problem', message: `there is no ${path}; the earlier entries count` },
    ],
  })
})

test('a file that is emptied and written again goes on refusing, and one that stays empty refuses nobody', async () => {
  const { path, subjects, source } = await followFile('{"subject":"dana"}\n', 1_000)
  const seen: number[] = []
  for (const text of ['', '{"subject":"dana"}\n', '', '{"subject":"dana"}\n', '']) {
    await writeFile(path, text)
    await sleep(50) // far more than between two looks
    seen.push(subjects('dana').length)
  }
  await waitUntil('nothing is revoked', () => source.list.size === 0)
  expect(seen).toEqual([1, 1, 1, 1, 1])
})

test('an entry that is added counts at once, and the file that is made for it is for its owner alone', async () => {
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

test('what the disk does not take fails', async () => {
  const failure = await appendRevocations('/dev/full', [dana]).catch(({ kind, message }) => ({ kind, message }))
  expect(failure).toEqual({ kind: 'refused', message: '/dev/full cannot be written (ENOSPC)' })
})
