import { readFile, stat, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listHeld } from '../../../src/contract/refresh.ts'
import {
  appendHandOut,
  longestNote,
  parseHandOuts,
  renderHandOut,
  type TokenHandOut,
} from '../../../src/helper/cache/append-hand-out.ts'
import { toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { dropReplaced, readRefusal } from '../../../src/helper/cache/read-refusal.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const clock = { now: () => 1_790_000_000_000, startedAt: 0, elapsedMs: () => 0, bootedAt: 1_780_000_000_000.4 }
const digest = '0123456789abcdef'
const given = { kind: 'given', digest } as const

async function startNote() {
  const location = { directory: await temporaryDirectory(), program: 'badge', key: 'k' }
  return { location, path: toCacheFilePath(location, 'served') }
}

test('a hand-out is one line, which reads back, in a file for this user alone', async () => {
  const { location, path } = await startNote()
  await appendHandOut(location, clock, given)
  await appendHandOut(location, clock, { kind: 'expired', digest: undefined })
  const text = await readFile(path, 'utf8')
  const times = { process: process.ppid, at: 1_790_000_000_000, bootedAt: 1_780_000_000_000 }
  expect({ text, mode: (await stat(path)).mode & 0o777, parsed: parseHandOuts(text) }).toEqual({
    text: `\ngiven ${process.ppid} 1790000000000 1780000000000 ${digest}\nexpired ${process.ppid} 1790000000000 1780000000000 -`,
    mode: 0o600,
    parsed: [
      { ...given, ...times },
      { kind: 'expired', digest: undefined, ...times },
    ],
  })
})

test('nothing is written where nothing is handed out after all', async () => {
  const { location, path } = await startNote()
  await appendHandOut(location, clock, Promise.resolve(undefined))
  expect(await readFile(path, 'utf8')).toBe('')
})

const handOut = { ...given, process: 7, at: 5, bootedAt: 0 }
const line = renderHandOut(handOut)
test.each(['', 'given', '\n{"minted":1}', line.slice(0, -3), line.replace('given', 'taken'), `${line} more`])(
  'a line that is not a hand-out is skipped, such as one that a full disk has cut off: %j',
  (text) => {
    expect(parseHandOuts(`${text}${line}`)).toEqual([handOut])
  },
)

/** Prepares a note with as many lines as it may have. */
async function startFullNote() {
  const note = await startNote()
  const render = (process: number) => renderHandOut({ ...given, process, at: process, bootedAt: 0 })
  const lines = Array.from({ length: 3_000 }, (_, number) => render(10_000 + number)).join('')
  await writeFile(note.path, lines.slice(0, longestNote - 10), { mode: 0o600 })
  return { ...note, read: async () => parseHandOuts(await readFile(note.path, 'utf8')) }
}

test('a note grows no longer than its limit', async () => {
  const { location, path } = await startFullNote()
  await appendHandOut(location, clock, given)
  expect((await stat(path)).size).toBe(longestNote - 10)
})

test('the next refresh shortens a full note, which takes hand-outs again', async () => {
  const { location, read } = await startFullNote()
  const before = await read()
  const deadline = new Deadline({ seconds: 60, hint: 'start again' }, clock)
  await readRefusal(location, { clock, env: {} }, { deadline }, { clientTtlSec: 60 })
  await appendHandOut(location, clock, given)
  expect(await read()).toEqual([
    ...before.slice(-401),
    {
      process: process.ppid,
      kind: 'given',
      at: expect.any(Number),
      bootedAt: expect.any(Number),
      digest: '0123456789abcdef',
    },
  ])
})

const handOuts = fc.array(
  fc.record({
    kind: fc.constantFrom('given' as const, 'probed' as const, 'refused' as const, 'expired' as const),
    process: fc.integer({ min: 1, max: 4 }),
    at: fc.nat(),
    bootedAt: fc.constant(0),
    digest: fc.constantFrom(digest, undefined),
  }),
)

test('a shortened note tells of each process what the whole one did', () => {
  const listAll = (all: readonly TokenHandOut[], processes: Iterable<number>) =>
    [...processes].map((process) => listHeld(all, process))
  fc.assert(
    fc.property(handOuts, fc.integer({ min: 0, max: 12 }), (all, most) => {
      const kept = dropReplaced(all, most)
      const processes = new Set(kept.map(({ process }) => process))
      expect(listAll(kept, processes)).toEqual(listAll(all, processes))
      expect(processes.has(all.at(-1)?.process ?? 0)).toBe(all.length > 0)
    }),
  )
})

test('a note with one line is not shortened', () => {
  expect(dropReplaced([handOut], 400)).toEqual([handOut])
})
