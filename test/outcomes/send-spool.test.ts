import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { renderOutcome } from '../../src/outcomes/call-outcome.ts'
import { type OutcomeBatch, type OutcomeDestination, PauseAskedError } from '../../src/outcomes/destination.ts'
import { readLastFailure, toLastFailure } from '../../src/outcomes/last-failure.ts'
import { sendSpool } from '../../src/outcomes/send-spool.ts'
import { appendToSpool, longestSpool } from '../../src/outcomes/spool.ts'
import { Deadline } from '../../src/runtime/deadline.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { useFakeTimers } from '../setup/fake-timers.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { now, outcomeOf } from './made-up-outcome.ts'

/** Creates a destination that notes what it takes, and the statuses in it. */
function createDestination(name: string, answer: () => Promise<void> = async () => {}) {
  const taken: unknown[] = []
  const send = async ({ outcomes, lost }: OutcomeBatch) => {
    await answer()
    taken.push({ statuses: outcomes.map(({ status }) => status), lost })
  }
  return { name, send, taken }
}

async function startSpool(...statuses: number[]) {
  const directory = join(await temporaryDirectory(), 'cache')
  await mkdir(directory, { mode: 0o700 })
  for (const status of statuses) await appendToSpool(directory, outcomeOf(status))
  return {
    directory,
    list: async () => (await readdir(directory)).sort(),
    send: (destinations: readonly OutcomeDestination[], { seconds = 5, at = now, process = 7 } = {}) => {
      const begin = performance.now()
      const clock = { now: () => at, startedAt: at, elapsedMs: () => performance.now() - begin }
      const within = new Deadline({ seconds, hint: '' }, clock)
      return sendSpool({ directory, resource: {}, destinations, within, clock, process })
    },
  }
}

const failing = (kind: 'refused' | 'unavailable') => () => Promise.reject(new HelperError(kind, 'no', 'wait'))

test('the outcomes of the spool go to every destination once', async () => {
  const spool = await startSpool(0, 4)
  const [a, b] = [createDestination('a'), createDestination('b')]
  await spool.send([a, b])
  await spool.send([a, b])
  expect([a.taken, b.taken]).toEqual([[{ statuses: [0, 4], lost: 0 }], [{ statuses: [0, 4], lost: 0 }]])
  expect(await spool.list()).toEqual([])
})

test('outcomes that one destination does not take are kept for it alone', async () => {
  const spool = await startSpool(0)
  const answers = [failing('unavailable'), async () => {}]
  const [a, b] = [createDestination('a', () => answers.shift()!()), createDestination('b')]
  await spool.send([a, b])
  const kept = await spool.list()
  await appendToSpool(spool.directory, outcomeOf(5))
  await spool.send([a, b])
  expect({ kept, a: a.taken, b: b.taken, left: await spool.list() }).toEqual({
    kept: ['outcomes.failed-a', 'outcomes.kept-a'],
    a: [{ statuses: [0, 5], lost: 0 }],
    b: [
      { statuses: [0], lost: 0 },
      { statuses: [5], lost: 0 },
    ],
    left: [],
  })
})

test('outcomes that a destination will never take are lost, and it is told how many', async () => {
  const spool = await startSpool(0, 0, 0)
  const answers = [failing('refused'), async () => {}]
  const a = createDestination('a', () => answers.shift()!())
  await spool.send([a])
  await spool.send([a])
  expect(a.taken).toEqual([{ statuses: [], lost: 3 }])
})

test('a destination that takes a few at once gets the others later', async () => {
  const spool = await startSpool(0, 2, 3, 4, 5)
  const answers = [async () => {}, failing('unavailable'), async () => {}, failing('refused'), async () => {}]
  const inPairs = ({ outcomes, lost, resource }: OutcomeBatch) =>
    [0, 2, 4].flatMap((begin) => {
      const part = outcomes.slice(begin, begin + 2)
      return begin === 0 || part.length > 0 ? [{ outcomes: part, lost: begin === 0 ? lost : 0, resource }] : []
    })
  const a = { ...createDestination('a', () => answers.shift()!()), split: inPairs }
  await spool.send([a])
  const first = [...a.taken]
  await spool.send([a])
  await spool.send([a])
  expect({ first, later: a.taken.slice(first.length), left: await spool.list() }).toEqual({
    first: [{ statuses: [0, 2], lost: 0 }],
    later: [
      { statuses: [3, 4], lost: 0 },
      { statuses: [], lost: 1 },
    ],
    left: [],
  })
})

test('outcomes that a full disk had no room for are reported once, also where a sender was killed in between', async () => {
  const spool = await startSpool()
  const left = `outcomes.claimed-all-${now - 61_000}-5-0-lost-4`
  for (const name of [left, 'outcomes.lost-1-2-9', 'outcomes.lost-3-4-10'])
    await writeFile(join(spool.directory, name), '', { mode: 0o600 })
  const [a, b] = [createDestination('a'), createDestination('b')]
  await spool.send([a, b])
  await spool.send([a, b])
  expect([a.taken, b.taken]).toEqual(Array(2).fill([{ statuses: [], lost: 23 }]))
  expect(await spool.list()).toEqual([])
})

test('a destination that does not answer is given up in time', async () => {
  const spool = await startSpool(0)
  useFakeTimers()
  const silence = () => {
    queueMicrotask(() => vi.advanceTimersByTime(30_001))
    return new Promise<never>(() => {})
  }
  await spool.send([createDestination('a', silence)], { seconds: 30 })
  expect(await spool.list()).toEqual(['outcomes.failed-a', 'outcomes.kept-a'])
})

test.each(['unavailable', 'refused'] as const)(
  'the reason why a destination did not take outcomes (%s) is noted until it takes some',
  async (kind) => {
    const spool = await startSpool(0)
    const answers = [failing(kind), async () => {}]
    const a = createDestination('a', () => answers.shift()!())
    await spool.send([a])
    const noted = await readLastFailure(spool.directory, 'a')
    await spool.send([a])
    expect([noted, await readLastFailure(spool.directory, 'a')]).toEqual([
      { time: now, message: 'no', hint: 'wait' },
      undefined,
    ])
  },
)

test.each([
  ['two minutes', 120_000, 120_000],
  ['a year, of which an hour counts', 31_536_000_000, 3_600_000],
])('a destination that asks for a pause of %s is not sent anything in it', async (_, asked, pauseMs) => {
  const spool = await startSpool(3)
  const answers = [() => Promise.reject(new PauseAskedError('no', 'wait', asked)), async () => {}]
  const [a, b] = [createDestination('a', () => answers.shift()!()), createDestination('b')]
  await spool.send([a, b])
  await appendToSpool(spool.directory, outcomeOf(5))
  await spool.send([a, b], { at: now + pauseMs - 1 })
  expect([a.taken, answers.length]).toEqual([[], 1])
  await spool.send([a, b], { at: now + pauseMs * 1.5 })
  expect({ a: a.taken, b: b.taken, left: await spool.list() }).toEqual({
    a: [{ statuses: [3, 5], lost: 0 }],
    b: [
      { statuses: [3], lost: 0 },
      { statuses: [5], lost: 0 },
    ],
    left: [],
  })
})

test('a pause is lengthened by at most half of what was asked for', () => {
  const asked = new PauseAskedError('no', 'wait', 120_000)
  const pauses = [0, 0.5, 0.999].map((random) => toLastFailure(asked, now, random).pausedUntil! - now)
  expect(pauses).toEqual([120_000, 150_000, 179_940])
})

test('a pause does not count where the clock was set back by more than an hour and a half', async () => {
  const spool = await startSpool(3)
  const answers = [() => Promise.reject(new PauseAskedError('no', 'wait', 120_000)), async () => {}]
  const a = createDestination('a', () => answers.shift()!())
  await spool.send([a])
  await spool.send([a], { at: now - 5_400_000 })
  expect(a.taken).toEqual([{ statuses: [3], lost: 0 }])
})

test('outcomes that are kept for a destination stay while another one is sent to', async () => {
  const spool = await startSpool(3)
  const answers = [failing('unavailable'), async () => {}]
  const [a, b] = [createDestination('a', () => answers.shift()!()), createDestination('b')]
  await spool.send([a])
  await appendToSpool(spool.directory, outcomeOf(5))
  await spool.send([b])
  expect(await spool.list()).toEqual(['outcomes.failed-a', 'outcomes.kept-a'])
  await spool.send([a])
  expect([a.taken, b.taken]).toEqual([[{ statuses: [3], lost: 0 }], [{ statuses: [5], lost: 0 }]])
})

test('many senders at once send each line once', async () => {
  const spool = await startSpool(...Array.from({ length: 50 }, (_, index) => index))
  const a = createDestination('a')
  await Promise.all(Array.from({ length: 20 }, (_, index) => spool.send([a], { process: index })))
  expect(a.taken).toEqual([{ statuses: Array.from({ length: 50 }, (_, index) => index), lost: 0 }])
})

test('outcomes that a killed sender had claimed are sent after a minute', async () => {
  const spool = await startSpool()
  const claimed = join(spool.directory, `outcomes.claimed-all-${now}-99-0`)
  await writeFile(claimed, `${renderOutcome(outcomeOf(6))}\n`, { mode: 0o600 })
  const a = createDestination('a')
  await spool.send([a], { at: now + 50_000 })
  const early = [...a.taken]
  await spool.send([a], { at: now + 70_000 })
  expect({ early, taken: a.taken, left: await spool.list() }).toEqual({
    early: [],
    taken: [{ statuses: [6], lost: 0 }],
    left: [],
  })
})

test('a line that is not an outcome counts as a lost one', async () => {
  const spool = await startSpool(0)
  const lines = ['{"time":17', JSON.stringify({ ...outcomeOf(0), note: 'canary' }), '{"lost":4}', '{"lost":-4}']
  await writeFile(join(spool.directory, 'outcomes.spool'), `${lines.join('\n')}\n`, { flag: 'a' })
  const a = createDestination('a')
  await spool.send([a])
  expect(a.taken).toEqual([{ statuses: [0], lost: 7 }])
})

test('a line that was cut off costs the next one nothing', async () => {
  const spool = await startSpool()
  await writeFile(join(spool.directory, 'outcomes.spool'), '{"time":17', { mode: 0o600 })
  await appendToSpool(spool.directory, outcomeOf(6))
  const a = createDestination('a')
  await spool.send([a])
  expect(a.taken).toEqual([{ statuses: [6], lost: 1 }])
})

test('no more than a spool is kept, with the number of the others', async () => {
  const spool = await startSpool()
  const line = `${renderOutcome(outcomeOf(3))}\n`
  const count = Math.ceil(longestSpool / line.length) + 10
  await writeFile(join(spool.directory, 'outcomes.spool'), line.repeat(count), { mode: 0o600 })
  await spool.send([createDestination('a', failing('unavailable'))])
  const lines = (await readFile(join(spool.directory, 'outcomes.kept-a'), 'utf8')).split('\n')
  expect([lines[0], lines.length - 2]).toEqual(['{"lost":11}', count - 11])
})

test('a spool that another user could have written is not sent', async () => {
  const spool = await startSpool(0)
  await chmod(join(spool.directory, 'outcomes.spool'), 0o666)
  const a = createDestination('a')
  await spool.send([a])
  expect(a.taken).toEqual([])
})
