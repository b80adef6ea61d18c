import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import type { TokenEntry } from '../../../src/helper/cache/entry.ts'
import { type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { openLock } from '../../../src/runtime/files/file-lock.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { testNow } from '../../setup/test-host.ts'
import { failAs, give, hour, minted, never, type Run, renewedFrom, served, startRenewalDesk } from './renewal-desk.ts'

test('a token is renewed early from the moment of this machine on, and the next run is served the new one', async () => {
  const { run } = await startRenewalDesk()
  const runs = [
    await run({ at: renewedFrom - 1000, mint: never }),
    await run({ at: renewedFrom + 1, mint: give('new', 17) }),
    await run({ at: 9 * hour, mint: never }),
  ]
  expect(runs.map(({ outcome }) => outcome)).toEqual([served(0), minted, { ...served(0), token: 'new' }])
})

test.each<[why: string, kept: Partial<TokenEntry>, run: Partial<Run>]>([
  ['the machine does not renew early', {}, { renewEarly: 0 }],
  ['an older version wrote it', { earlyFraction: undefined }, {}],
  ['it is new', { minted: testNow + 8.9 * hour - 5000 }, {}],
])('a token is kept as long as it can be served where %s', async (_, kept, given) => {
  const { run } = await startRenewalDesk(kept)
  expect((await run({ at: 8.9 * hour, ...given, mint: never })).outcome).toEqual(served(0))
})

test.each<FailureKind>(['bug', 'usage', 'not-configured', 'sign-in-required', 'refused', 'unavailable', 'late'])(
  'an early renewal that ends as %s is reported to the log alone',
  async (kind) => {
    const { run } = await startRenewalDesk()
    const { outcome, unrenewed } = await run({ at: 8 * hour, mint: failAs(kind) })
    expect({ outcome, unrenewed }).toEqual({
      outcome: served(1),
      unrenewed: [new HelperError(kind, 'no token', 'ask for one')],
    })
  },
)

test.each([
  [0.2, 330_000],
  [0.8, 420_000],
])(
  'after a failure it is tried again after five minutes and a part of half of that: for %d after %d ms',
  async (earlyFraction, pauseMs) => {
    const { run } = await startRenewalDesk({ earlyFraction })
    await run({ at: 8.5 * hour, mint: failAs('unavailable') })
    expect((await run({ at: 8.5 * hour + pauseMs - 1000, mint: never })).outcome).toEqual(served(0))
    expect((await run({ at: 8.5 * hour + pauseMs + 1000, mint: give('new', 18) })).outcome).toEqual(minted)
  },
)

test('a source is not asked during a longer pause that it asked for', async () => {
  const { run } = await startRenewalDesk()
  const busy: Run['mint'] = (call, pass) => {
    call.deadline.noteAskedPause(1_200_000)
    return failAs('unavailable')(call, pass)
  }
  const runs = [await run({ at: 8 * hour, mint: busy })]
  const again = 8 * hour + 1_500_000 // spread by a quarter on this machine
  runs.push(await run({ at: again - 1000, mint: never }), await run({ at: 9 * hour, mint: give('needed', 19) }))
  expect(runs.map(({ unrenewed, outcome }) => [unrenewed.length, outcome])).toEqual([
    [1, served(1)],
    [0, served(0)],
    [0, { ...minted, token: 'needed' }],
  ])
})

test('a source is asked again after the pause that it asked for', async () => {
  const { run } = await startRenewalDesk()
  const busy: Run['mint'] = (call, pass) => {
    call.deadline.noteAskedPause(1_200_000)
    return failAs('unavailable')(call, pass)
  }
  await run({ at: 8 * hour, mint: busy })
  expect((await run({ at: 8 * hour + 1_501_000, mint: give('new', 18) })).outcome).toEqual(minted)
})

test('until it is tried again, no run opens the lock', async () => {
  const { run, location } = await startRenewalDesk()
  const path = toCacheFilePath(location, 'lock')
  await run({ at: 8 * hour, mint: failAs('unavailable') })
  await rm(path)
  expect({ outcome: (await run({ at: 8 * hour + 1000, mint: never })).outcome, exists: existsSync(path) }).toEqual({
    outcome: served(0),
    exists: false,
  })
})

test('a failure does not keep a run from a token that it needs', async () => {
  const { run } = await startRenewalDesk()
  await run({ at: 8.9 * hour, mint: failAs('unavailable') })
  expect((await run({ at: 9 * hour, mint: give('new', 19) })).outcome).toEqual(minted)
})

test('the last token is served where a program takes the whole call', async () => {
  const { run } = await startRenewalDesk()
  const hang: Run['mint'] = ({ deadline }, pass) => {
    pass(12_000)
    return deadline.whole.during('program', 'the program', () => new Promise(() => {}))
  }
  const { outcome } = await run({ at: 9 * hour - 60_200, seconds: 12, mint: hang })
  const until = new Date(testNow + 10 * hour).toISOString()
  expect(outcome).toEqual({
    ...served(1),
    origin: 'kept',
    warnings: [
      `the program took longer than the 12 s of this call; serving the last token, which is good until ${until}`,
    ],
  })
})

test('the kept token is served silently where it is still valid after such a program', async () => {
  const { run } = await startRenewalDesk()
  const hang: Run['mint'] = ({ deadline }, pass) => {
    pass(12_000)
    return deadline.whole.during('program', 'the program', () => new Promise(() => {}))
  }
  expect((await run({ at: 8 * hour, seconds: 12, mint: hang })).outcome).toEqual(served(1))
})

test('a source that gives the same token once more is asked like one that failed', async () => {
  const { run } = await startRenewalDesk()
  expect((await run({ at: 8 * hour, mint: give('same', 10) })).outcome).toEqual(served(1))
  expect((await run({ at: 8 * hour + 60_000, mint: never })).outcome).toEqual(served(0))
})

test('nobody is asked in an early renewal', async () => {
  const { run } = await startRenewalDesk()
  const { calls } = await run({ at: 8 * hour, context: 'interactive', mint: give('same', 10) })
  const { calls: later } = await run({ at: 8.5 * hour, context: 'scheduled-task', mint: give('same', 10) })
  expect([...calls, ...later].map(({ context, renews }) => [context, renews])).toEqual([
    ['background', testNow + 10 * hour],
    ['scheduled-task', testNow + 10 * hour],
  ])
})

test.each([
  [298, 18],
  [12, 12],
])('in a call of %d s, work that would be lost if it were abandoned has %d s', async (seconds, waitedSec) => {
  const { run } = await startRenewalDesk()
  const { calls } = await run({ at: 8 * hour, seconds, mint: give('same', 10) })
  const waited = calls.map(({ deadline }) => deadline.whole.limit.seconds)
  expect(waited.map(Math.floor)).toEqual([waitedSec])
})

test('a refresh gets a new token', async () => {
  const { run } = await startRenewalDesk()
  const context = 'mid-session-refresh'
  const { outcome, calls } = await run({ at: 8 * hour, context, mint: give('new', 18) })
  expect([outcome, calls.map(({ renews }) => renews)]).toEqual([minted, [undefined]])
})

test('a process that holds the lock is not waited for', async () => {
  const { run, location } = await startRenewalDesk()
  const lock = await openLock(toCacheFilePath(location, 'lock'))
  expect(await lock.tryAcquire()).toBe(true)
  const { outcome, unrenewed } = await run({ at: 8 * hour, mint: never })
  expect([outcome, unrenewed]).toEqual([served(0), []]) // a wait would have ended as late
  await lock.release()
})

test('one of fifty runs at once renews a token for all', async () => {
  const { run } = await startRenewalDesk()
  let mints = 0
  const mint: Run['mint'] = async (...given) => {
    mints += 1
    await sleep(50) // time for the others to come as well
    return give('new', 18)(...given)
  }
  const runs = await Promise.all(Array.from({ length: 50 }, () => run({ at: 8 * hour, mint })))
  const tokens = new Set(runs.map(({ outcome }) => JSON.stringify({ ...outcome, mints: 0, origin: '' })))
  const allowed = ['kept', 'new'].map((token) => JSON.stringify({ token, origin: '', mints: 0, warnings: [] }))
  expect([mints, [...tokens].filter((each) => !allowed.includes(each))]).toEqual([1, []])
})

test('a token that falls short after the wait is not served', async () => {
  const { run } = await startRenewalDesk()
  const source: Run['mint'] = async (call, pass) => {
    if (call.renews === undefined) return give('new', 18)(call, pass)
    pass(250)
    throw new HelperError('unavailable', 'no token', 'ask for one')
  }
  const { outcome } = await run({ at: 9 * hour - 60_200, mint: source })
  expect(outcome).toEqual({ ...minted, mints: 2 })
})

test('a warning of a renewal is printed where its token is served', async () => {
  const { run, location } = await startRenewalDesk()
  const warn: (then: Run['mint']) => Run['mint'] = (then) => (call, pass) => {
    call.warn('short')
    return then(call, pass)
  }
  const old = toCacheFilePath({ ...location, key: '0' }, 'entry')
  await writeFile(old, JSON.stringify({ expiresAt: 1 }), { mode: 0o600 })
  const runAt = async (at: number, mint: Run['mint']) => [
    (await run({ at, mint: warn(mint) })).outcome,
    existsSync(old),
  ]
  expect([await runAt(8 * hour, give('same', 10)), await runAt(8.5 * hour, give('new', 17))]).toEqual([
    [served(1), true],
    [{ ...minted, warnings: ['short'] }, false],
  ])
})

test('a run does not repeat an attempt that another one made before it had the lock', async () => {
  const { run, location } = await startRenewalDesk()
  const note = toCacheFilePath(location, 'note')
  const tried = () => writeFileSync(note, JSON.stringify({ pid: 1, since: testNow + 8 * hour }), { mode: 0o600 })
  expect((await run({ at: 8 * hour, meanwhile: tried, mint: never })).outcome).toEqual(served(0))
})

test('a run does not repeat a renewal that another one made before it had the lock', async () => {
  const { run, location } = await startRenewalDesk()
  const entry = toCacheFilePath(location, 'entry')
  const kept = JSON.parse(readFileSync(entry, 'utf8'))
  const renewed = () => writeFileSync(entry, JSON.stringify({ ...kept, token: 'new', expiresAt: testNow + 18 * hour }))
  expect((await run({ at: 8.5 * hour, meanwhile: renewed, mint: never })).outcome).toEqual({
    ...served(0),
    token: 'new',
  })
})

test('a token without an end is not served in place of one with an end', async () => {
  const { run } = await startRenewalDesk()
  const endless: Run['mint'] = async () => ({ token: new Secret('endless'), expiresAt: undefined, facts: {} })
  const { outcome, unrenewed } = await run({ at: 8 * hour, mint: endless })
  expect([outcome, unrenewed]).toEqual([served(1), []])
})

test('a source that asks for no pause is asked again after the default one', async () => {
  const { run, location } = await startRenewalDesk()
  await run({ at: 8 * hour, mint: failAs('unavailable') })
  const { since, askedPauseMs } = JSON.parse(readFileSync(toCacheFilePath(location, 'note'), 'utf8'))
  expect([Math.round((since - testNow) / 1000), askedPauseMs]).toEqual([(8 * hour) / 1000, undefined])
})
