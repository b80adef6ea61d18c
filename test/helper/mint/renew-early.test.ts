import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toCacheFilePath } from '../../../src/helper/cache/directory.ts'
import type { TokenEntry } from '../../../src/helper/cache/entry.ts'
import { type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { openLock } from '../../../src/runtime/private/file-lock.ts'
import { testNow } from '../../setup/test-host.ts'
import { failAs, give, hour, minted, never, type Run, renewedFrom, served, startRenewalDesk } from './renewal-desk.ts'

test('a token is renewed early from the moment of this machine on, and the next run is served the new one', async () => {
  const { run } = await startRenewalDesk()
  expect((await run({ at: renewedFrom - 1000, mint: never })).outcome).toEqual(served(0))
  expect((await run({ at: renewedFrom + 1, mint: give('new', 17) })).outcome).toEqual(minted)
  expect((await run({ at: 9 * hour, mint: never })).outcome).toEqual({ ...served(0), token: 'new' })
})

test.each<[why: string, kept: Partial<TokenEntry>, run: Partial<Run>]>([
  ['the machine does not renew early', {}, { renewEarly: 0 }],
  ['an older version wrote it', { earlyFraction: undefined }, {}],
  ['it is new', { minted: testNow + 8.9 * hour - 5000 }, {}],
])('a token is kept as long as can be where %s', async (_, kept, given) => {
  const { run } = await startRenewalDesk(kept)
  expect((await run({ at: 8.9 * hour, ...given, mint: never })).outcome).toEqual(served(0))
})

test.each<FailureKind>(['bug', 'usage', 'not-configured', 'sign-in-required', 'refused', 'unavailable', 'late'])(
  'an early renewal that ends as %s costs nobody anything, and is told to the log alone',
  async (kind) => {
    const { run } = await startRenewalDesk()
    const { outcome, unrenewed } = await run({ at: 8 * hour, mint: failAs(kind) })
    expect(outcome).toEqual(served(1))
    expect(unrenewed).toEqual([new HelperError(kind, 'no token', 'ask for one')])
  },
)

test('after a failure it is tried again five minutes later, and not before', async () => {
  const { run } = await startRenewalDesk()
  await run({ at: 8 * hour, mint: failAs('unavailable') })
  expect((await run({ at: 8 * hour + 299_000, mint: never })).outcome).toEqual(served(0))
  expect((await run({ at: 8 * hour + 301_000, mint: give('new', 18) })).outcome).toEqual(minted)
})

test('until it is tried again, no run opens the lock', async () => {
  const { run, location } = await startRenewalDesk()
  const path = toCacheFilePath(location, 'lock')
  await run({ at: 8 * hour, mint: failAs('unavailable') })
  await rm(path)
  expect((await run({ at: 8 * hour + 1000, mint: never })).outcome).toEqual(served(0))
  expect(existsSync(path)).toBe(false)
})

test('a failure does not keep a run from a token that it needs', async () => {
  const { run } = await startRenewalDesk()
  await run({ at: 8.9 * hour, mint: failAs('unavailable') })
  expect((await run({ at: 9 * hour, mint: give('new', 19) })).outcome).toEqual(minted)
})

test('a program that takes the whole call is what the call was late for, and the last token is served', async () => {
  const { run } = await startRenewalDesk()
  const hang: Run['mint'] = ({ deadline }) =>
    deadline.whole.during('program', 'the program', () => new Promise(() => {}))
  const { outcome } = await run({ at: 9 * hour - 60_200, seconds: 0.3, mint: hang })
  const until = new Date(testNow + 10 * hour).toISOString()
  expect(outcome).toEqual({
    ...served(1),
    origin: 'cache, because the source cannot be reached',
    warnings: [
      `the program took longer than the 0.3 s of this call; serving the last token, which is good until ${until}`,
    ],
  })
})

test('a source that gives the same token once more is asked like one that failed', async () => {
  const { run } = await startRenewalDesk()
  expect((await run({ at: 8 * hour, mint: give('same', 10) })).outcome).toEqual(served(1))
  expect((await run({ at: 8 * hour + 60_000, mint: never })).outcome).toEqual(served(0))
})

test('nobody is asked in an early renewal, and the source learns what it has to outlive', async () => {
  const { run } = await startRenewalDesk()
  const { calls } = await run({ at: 8 * hour, context: 'interactive', mint: give('same', 10) })
  expect(calls.map(({ context, renews }) => [context, renews])).toEqual([['background', testNow + 10 * hour]])
})

test.each([
  [298, 58],
  [20, 20],
])('of a call of %d s, work that would be lost if it were given up has %d s', async (seconds, waitedSec) => {
  const { run } = await startRenewalDesk()
  const { calls } = await run({ at: 8 * hour, seconds, mint: give('same', 10) })
  const waited = calls.map(({ deadline }) => deadline.whole.limit.seconds)
  expect(waited.map(Math.floor)).toEqual([waitedSec])
})

test('a refresh gets a token that is new, and no early renewal', async () => {
  const { run } = await startRenewalDesk()
  const context = 'mid-session-refresh'
  const { outcome, calls } = await run({ at: 8 * hour, context, mint: give('new', 18) })
  expect([outcome, calls.map(({ renews }) => renews)]).toEqual([minted, [undefined]])
})

test('a process that holds the lock is not waited for', async () => {
  const { run, location } = await startRenewalDesk()
  const lock = await openLock(toCacheFilePath(location, 'lock'))
  expect(await lock.tryAcquire()).toBe(true)
  const begin = performance.now()
  expect((await run({ at: 8 * hour, mint: never })).outcome).toEqual(served(0))
  expect(performance.now() - begin).toBeLessThan(1000)
  await lock.release()
})

test('of fifty runs at once one renews, and every one gets a token', async () => {
  const { run } = await startRenewalDesk()
  let mints = 0
  const mint: Run['mint'] = async (call) => {
    mints += 1
    await sleep(50)
    return give('new', 18)(call)
  }
  const runs = await Promise.all(Array.from({ length: 50 }, () => run({ at: 8 * hour, mint })))
  const tokens = new Set(runs.map(({ outcome }) => JSON.stringify({ ...outcome, mints: 0, origin: '' })))
  const allowed = ['kept', 'new'].map((token) => JSON.stringify({ token, origin: '', mints: 0, warnings: [] }))
  expect([mints, [...tokens].filter((each) => !allowed.includes(each))]).toEqual([1, []])
})

test('a token that falls short after the wait is not served', { timeout: 20_000 }, async () => {
  const { run } = await startRenewalDesk()
  const source: Run['mint'] = async (call) => {
    if (call.renews === undefined) return give('new', 18)(call)
    await sleep(250)
    throw new HelperError('unavailable', 'no token', 'ask for one')
  }
  const { outcome } = await run({ at: 9 * hour - 60_200, mint: source })
  expect(outcome).toEqual({ ...minted, mints: 2 })
})
