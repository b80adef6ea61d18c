import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { simulateFleet } from '../../../src/fleet/day/simulate-fleet.ts'
import type { ObserveFleet } from '../../../src/fleet/fleet-result.ts'
import type { FleetChoice, FleetSettings } from '../../../src/fleet/fleet-settings.ts'
import { calmFleet, halfHour, office, peak, sum, summarizeDay } from './test-fleet.ts'

const hourSec = 3600
const seconds = fc.integer({ min: 0, max: 86_399 })
const shiftedOffice = fc
  .record({ beginsAt: seconds, machine: fc.constantFrom('laptop', 'always-on'), stays: fc.constantFrom(0, 30_000) })
  .map((parts) => ({ ...office, ...parts, share: 0.5 }))

/** Days on which much goes wrong. */
const settings: fc.Arbitrary<FleetSettings> = fc.record({
  desktops: fc.integer({ min: 1, max: 10 }),
  seed: fc.nat(),
  warmUpDays: fc.integer({ min: 0, max: 1 }),
  sites: fc.tuple(shiftedOffice, shiftedOffice),
  turnEverySec: fc.constantFrom(30, 600, 7200),
  taskEverySec: fc.constantFrom(undefined, 300, 3600),
  taskSpreadSec: fc.constantFrom(0, 60),
  tokenLifeSec: fc.integer({ min: 60, max: 40_000 }),
  provider: fc.record({
    quotaPerSec: fc.constantFrom(undefined, 1, 5),
    retryAfterSec: fc.constantFrom(undefined, 0, 3, 90),
    latency: fc.constantFrom([[0, 20]], [
      [0, 20],
      [3, 30_000],
    ] as const),
  }),
  outages: fc.array(fc.record({ at: seconds, forSec: fc.integer({ min: 1, max: 7200 }) }), { maxLength: 2 }),
  revocations: fc.array(seconds, { maxLength: 2 }).map((moments) => moments.sort((a, b) => a - b)),
  refusedPerThousand: fc.constantFrom(0, 50),
})

const choice: fc.Arbitrary<FleetChoice> = fc.record({
  ttlSec: fc.integer({ min: 60, max: 20_000 }),
  timeoutSec: fc.constantFrom(3, 60),
  renewEarly: fc.constantFrom(0, 20, 100),
})

/** Returns the events of a whole simulation, one list for each desktop. */
function observe(fleet: FleetSettings, chosen: FleetChoice) {
  const events = Array.from({ length: fleet.desktops }, (): { at: number; event: Parameters<ObserveFleet>[2] }[] => [])
  const result = simulateFleet(fleet, chosen, { observe: (desktop, at, event) => events[desktop]!.push({ at, event }) })
  return { events, result }
}

describe('on any day', () => {
  test('a turn is sent or lost, a request is answered or not, and a run ends in one way', () => {
    fc.assert(
      fc.property(settings, choice, (fleet, chosen) => {
        const { events, result } = observe({ ...fleet, warmUpDays: 0 }, chosen)
        const day = summarizeDay(result)
        const ended = (event: Parameters<ObserveFleet>[2]) =>
          events.flat().filter((found) => found.event === event && found.at < 86_400_000).length
        const lost = day.lost['no-credential'] + day.lost.unauthorized
        const { first, renewal, refusal } = day.mints
        const rescued = ended('turn: rescued')
        const waits = day.waits.reduce((total, count) => total + count, 0)
        const waiting = events.map((own) => {
          const begun = own.filter(({ event }) => event === 'turn' || event === 'task').length
          return begun - own.filter(({ event }) => event.startsWith('turn: ')).length
        })
        expect({ turns: day.turns, waits, requests: day.requests, rescued: day.rescued, waiting }).toEqual({
          turns: ended('turn: sent') + rescued + lost,
          waits: day.turns,
          requests: first + renewal + refusal + day.throttled + day.unreachable + day.late,
          rescued,
          waiting: events.map(() => expect.toBeOneOf([0, 1])), // at midnight one may wait
        })
      }),
      { numRuns: 20 },
    )
  })

  test('a provider answers no more in a second than its quota, and none while it is out', () => {
    fc.assert(
      fc.property(settings, choice, (fleet, chosen) => {
        const { mints, late, unreachable } = simulateFleet(fleet, chosen)
        const answered = mints.first.map((count, at) => count + mints.renewal[at]! + mints.refusal[at]! + late[at]!)
        const isOut = (at: number) => fleet.outages.some((outage) => at >= outage.at && at < outage.at + outage.forSec)
        expect({
          isWithinQuota: peak(answered) <= (fleet.provider.quotaPerSec ?? Number.POSITIVE_INFINITY),
          answeredWhileOut: sum(answered.filter((_, at) => isOut(at))),
          unreachableOtherwise: sum(unreachable.filter((_, at) => !isOut(at))),
        }).toEqual({ isWithinQuota: true, answeredWhileOut: 0, unreachableOtherwise: 0 })
      }),
      { numRuns: 20 },
    )
  })

  test('the same seed gives the same day', () => {
    fc.assert(
      fc.property(settings, choice, (fleet, chosen) => {
        const [first, again] = [observe(fleet, chosen), observe(fleet, chosen)].map(({ events, result }) => ({
          events,
          day: summarizeDay(result),
        }))
        expect(again).toEqual(first)
      }),
      { numRuns: 5 },
    )
  })

  test('another seed gives another day', () => {
    const days = [7, 8].map((seed) => summarizeDay(simulateFleet({ ...calmFleet, seed }, halfHour)))
    expect(days[0]).not.toEqual(days[1])
  })

  test('people and tasks come and go alike with any choice', () => {
    const agenda = /^(begin|turn|sleep|wake|leave|task)$/
    fc.assert(
      fc.property(settings, choice, choice, (fleet, ...choices) => {
        const [one, other] = choices.map((chosen) =>
          observe(fleet, chosen).events.map((events) => events.filter(({ event }) => agenda.test(event))),
        )
        expect(one).toEqual(other)
      }),
      { numRuns: 20 },
    )
  })
})

test('no token that ends before its ttl is served', () => {
  // Each task opens a session, which the cache on the disk may serve.
  const sites = [{ ...office, machine: 'always-on', share: 0.5 } as const, { ...office, share: 0.5 }]
  const calm = { ...calmFleet, sites, taskEverySec: 300, taskSpreadSec: 60 }
  const lifeBeyondTtl = fc.integer({ min: 61, max: 10_000 })
  const checkedTtl = fc.integer({ min: 121, max: 5000 })
  fc.assert(
    fc.property(fc.nat(), choice, checkedTtl, lifeBeyondTtl, (seed, chosen, ttlSec, beyondSec) => {
      const day = { ...calm, seed, desktops: 10, tokenLifeSec: ttlSec + beyondSec }
      const { rescued, lost } = summarizeDay(simulateFleet(day, { ...chosen, ttlSec }))
      expect({ rescued, lost }).toEqual({ rescued: 0, lost: { 'no-credential': 0, unauthorized: 0 } })
    }),
    { numRuns: 20 },
  )
})

describe('an office', () => {
  test('with a provider that answers loses and rescues no turn', () => {
    const { rescued, lost, runs, mints, turns } = summarizeDay(simulateFleet(calmFleet, halfHour))
    const areMany = mints.first >= calmFleet.desktops && turns > calmFleet.desktops * 30
    expect({ rescued, lost, failed: runs.failed, kept: runs.kept, areMany }).toEqual({
      rescued: 0,
      failed: 0,
      kept: 0,
      lost: { 'no-credential': 0, unauthorized: 0 },
      areMany: true,
    })
  })

  test('with a ttl beyond the life of its tokens needs a rescue for each', () => {
    const { rescued, mints, lost } = summarizeDay(simulateFleet(calmFleet, { ...halfHour, ttlSec: 10 * hourSec }))
    expect({ refusals: mints.refusal, areMany: rescued > calmFleet.desktops, lost }).toEqual({
      refusals: rescued,
      areMany: true,
      lost: { 'no-credential': 0, unauthorized: 0 },
    })
  })

  test('sends a turn once more that the gateway refused although its token is good', () => {
    const fleet = { ...calmFleet, refusedPerThousand: 50 }
    const { lost, rescued, mints, turns } = summarizeDay(simulateFleet(fleet, halfHour))
    const isServedAgain = rescued >= mints.refusal // a token of moments ago
    expect({ lost, isServedAgain, rescuedPercent: Math.round((100 * rescued) / turns) }).toEqual({
      lost: { 'no-credential': 0, unauthorized: 0 },
      isServedAgain: true,
      rescuedPercent: 5,
    })
  })

  test('after a revocation gets a new token for each desktop that is used', () => {
    const at = 15 * hourSec
    const { mints, rescued } = simulateFleet({ ...calmFleet, revocations: [at] }, halfHour)
    expect({
      refusals: sum(mints.refusal),
      areMany: sum(rescued) > calmFleet.desktops / 3,
      before: sum(mints.refusal.subarray(0, at)) + sum(rescued.subarray(0, at)),
    }).toEqual({ refusals: sum(rescued), areMany: true, before: 0 })
  })
})
