import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  askedAgain,
  detectRefresh,
  detectStatedCause,
  type HandOut,
  type HandOutKind,
  isSuspected,
  listHeld,
  refreshCauseVariable,
  type Suspicion,
  toSuspicion,
} from '../../src/contract/refresh.ts'

const hour = 3_600_000
const booted = 1_790_000_000_000
const run = { bootedAt: booted, clientTtlSec: 3_600 }

/** Hand-outs to one process, each a kind and so many minutes before the run. */
function handed(...parts: readonly [kind: HandOutKind, minutesAgo: number, bootedAt?: number][]): HandOut[] {
  return parts.map(([kind, minutes, bootedAt = booted]) => ({ kind, process: 7, at: now - minutes * 60_000, bootedAt }))
}

const now = booted + 24 * hour
const detect = (handOuts: readonly HandOut[], more: Partial<Parameters<typeof detectRefresh>[1]> = {}) =>
  detectRefresh(listHeld(handOuts, 7, now), { ...run, startedAt: now, ...more })

const refused = { cause: 'refused', isRepeated: false }
const expired = { cause: 'expired', isRepeated: false }

test.each<[what: string, handOuts: readonly HandOut[], means: object]>([
  ['was never handed a token', [], expired],
  ['was handed one a moment ago', handed(['given', 0]), refused],
  ['was handed one just before nine tenths of the ttl', handed(['given', 53.99]), refused],
  ['was handed one nine tenths of the ttl ago', handed(['given', 54]), expired],
  ['was handed one long ago', handed(['given', 600]), expired],
  ['was handed one by a test or a probe', handed(['probed', 1]), refused],
  ['has refreshed since, when it expired', handed(['given', 70], ['expired', 10]), refused],
  ['has refreshed since, when it was refused', handed(['given', 12], ['refused', 10]), refused],
  ['has two windows, and that of the older token may come', handed(['given', 60], ['given', 5]), expired],
  ['has two windows, of which one has refreshed', handed(['given', 62], ['given', 61], ['expired', 1]), expired],
  ['has two windows, of which both have', handed(['given', 9], ['given', 8], ['expired', 7], ['expired', 6]), refused],
  ['has a window, and probes that keep no token', handed(['given', 5], ['probed', 3], ['probed', 1]), refused],
  ['has a window whose token is older than a probe', handed(['given', 60], ['probed', 1]), expired],
  ['asks again for the refresh of a moment ago', handed(['expired', 0.16]), { cause: 'expired', isRepeated: true }],
  ['asks again for the refusal of a moment ago', handed(['refused', 0.16]), { cause: 'refused', isRepeated: true }],
  ['asks again later', handed(['expired', 0.17]), refused],
  ['was handed one by a run of the same moment', handed(['given', -0.001]), expired],
  ['has windows that refresh at once', handed(['given', 60], ['expired', -0.001]), expired],
  ['was handed one before, and one by a run of the same moment', handed(['given', 5], ['given', -0.001]), refused],
  ['was handed one in the future', handed(['given', -60]), expired],
  ['was handed one before the clock was set back', handed(['given', 5, booted + 2 * 60_000]), expired],
  ['was handed one before the clock was set forward', handed(['given', 5, booted - 2 * 60_000]), expired],
  ['was handed one before a step that does no harm', handed(['given', 5, booted + 59_000]), refused],
  ['was handed one on a machine that does not tell when it started', handed(['given', 5, 0]), refused],
])('the refresh of a process that %s is explained', (_, handOuts, means) => {
  expect(detect(handOuts)).toEqual(means)
})

test.each<[statedCause: 'refused' | 'expired', handOuts: readonly HandOut[], isRepeated: boolean]>([
  ['refused', [], false],
  ['refused', handed(['given', 60]), false],
  ['refused', handed(['given', 1], ['expired', 0.1]), false],
  ['refused', handed(['given', 1], ['refused', 0.1]), true],
  ['expired', handed(['given', 1]), false],
  ['expired', handed(['given', 1], ['refused', 0.1]), false],
  ['expired', handed(['given', 1], ['expired', 0.1]), true],
])('a refresh is %s where the client says so, after %j', (statedCause, handOuts, isRepeated) => {
  expect(detect(handOuts, { statedCause })).toEqual({ cause: statedCause, isRepeated })
})

test('an unknown value states no cause', () => {
  const said = [undefined, '', 'expired', 'refused', 'Refused'].map((text) =>
    detectStatedCause({ [refreshCauseVariable]: text }),
  )
  expect(said).toEqual([undefined, undefined, 'expired', 'refused', undefined])
})

test('tokens that other processes were handed do not count', () => {
  const others = handed(['given', 1], ['expired', 0]).map((each) => ({ ...each, process: 8 }))
  expect(detect(others)).toEqual(expired)
  expect(detect([...handed(['given', 5]), ...others])).toEqual(refused)
})

/** A window opens or closes, a probe is made, or the window of this number comes back, if its ttl has passed. */
const steps = fc.array(
  fc.record({
    passedSec: fc.integer({ min: 0, max: 5_000 }),
    what: fc.constantFrom('open', 'close', 'probe', 'refresh', 'refresh', 'refresh'),
    window: fc.nat(15),
  }),
  { maxLength: 60 },
)

test('no window of sixteen is taken for refused when its ttl has passed', () => {
  fc.assert(
    fc.property(steps, (drawn) => {
      const handOuts: HandOut[] = []
      const windows = new Map<number, number>()
      let at = booted
      const hand = (kind: HandOutKind) => handOuts.push({ kind, process: 7, at, bootedAt: booted })
      for (const { passedSec, what, window } of drawn) {
        at += passedSec * 1000
        const since = windows.get(window)
        if (what === 'probe') hand('probed')
        if (what === 'close') windows.delete(window)
        if (what === 'open' && since === undefined) hand('given')
        if (what === 'open') windows.set(window, since ?? at)
        if (what !== 'refresh' || since === undefined || at - since < 0.9 * hour) continue
        expect(detectRefresh(listHeld(handOuts, 7), { ...run, startedAt: at })).toEqual(expired)
        hand('expired')
        windows.set(window, at)
      }
    }),
  )
})

test('a refusal is found out after as many refreshes as the process has other windows', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 15 }), (ages) => {
      const handOuts = handed(...ages.toSorted((a, b) => b - a).map((age) => ['given', age] as [HandOutKind, number]), [
        'given',
        0.5,
      ])
      let tries = 0
      for (; detect(handOuts).cause === 'expired'; tries += 1) handOuts.push(...handed(['expired', 0.2]))
      expect(tries).toBeLessThanOrEqual(ages.length)
    }),
  )
})

describe('a client that never says why it asks', () => {
  const minted = 1_790_000_000_000
  const ask = (startedAt: number) => ({ process: 7, startedAt, now: startedAt, digest: 'a', minted })
  const asked = (at: number, process = 7, digest = 'a') =>
    ({ kind: 'given', process, at, bootedAt: 0, digest }) as const
  const rhythm = toSuspicion({ 'suspect-repetition': false, 'suspect-after': 3 })!
  const at = minted + 61_000

  test.each<
    [words: string, suspicion: Suspicion, handOuts: readonly ReturnType<typeof asked>[], at: number, is: boolean]
  >([
    ['asks for the first time', askedAgain, [], at, false],
    ['asks again, however late', askedAgain, [asked(minted)], at + 86_400_000, true],
    ['asks again for a token of the last ten seconds', askedAgain, [asked(minted)], minted + 10_000, false],
    ['asks again for another token', askedAgain, [asked(minted, 7, 'b')], at, false],
    ['asks again by another process', askedAgain, [asked(minted, 8)], at, false],
    ['asks a third time within ten seconds', rhythm, [asked(at - 10_000), asked(at - 1)], at, true],
    ['asks a second time', rhythm, [asked(at - 1)], at, false],
    ['asks a third time, the first longer ago', rhythm, [asked(at - 10_001), asked(at - 1)], at, false],
    ['asks a third time within the minute of the mint', rhythm, [asked(at - 1), asked(at - 1)], minted + 60_000, false],
    ['is handed the token by runs that began later', rhythm, [asked(at + 1), asked(at + 2)], at, false],
  ])('is suspected, or not, where it %s', (_, suspicion, handOuts, startedAt, is) => {
    expect(isSuspected(handOuts, suspicion, ask(startedAt))).toBe(is)
  })
})
