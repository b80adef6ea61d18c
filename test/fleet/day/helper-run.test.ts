import { describe, expect, test } from 'vitest'
import { simulateFleet } from '../../../src/fleet/day/simulate-fleet.ts'
import type { FleetChoice, FleetSettings } from '../../../src/fleet/fleet-settings.ts'
import { calmFleet, office, summarizeDay } from './test-fleet.ts'

/** Two machines that each need a token at midnight and at noon, from a provider that takes one request a second. */
const busy: FleetSettings = {
  ...calmFleet,
  desktops: 2,
  warmUpDays: 0,
  sites: [{ ...office, machine: 'always-on', stays: 0 }],
  taskEverySec: 12 * 3600,
  provider: { quotaPerSec: 1, retryAfterSec: 3, latency: [[0, 0]] },
}
const choice: FleetChoice = { ttlSec: 300, timeoutSec: 60, renewEarly: 0 }

/** Lists the seconds of a day in which something happened, and how often. */
const list = (series: Uint32Array) => [...series.entries()].filter(([, count]) => count > 0)

describe('a simulated helper that is answered 429', () => {
  test('asks again when the answer says', () => {
    const { mints, throttled, lost } = simulateFleet(busy, choice)
    expect({ first: list(mints.first), throttled: list(throttled), lost: list(lost['no-credential']) }).toEqual({
      first: [0, 3, 43_200, 43_203].map((at) => [at, 1]),
      throttled: [0, 43_200].map((at) => [at, 1]),
      lost: [],
    })
  })

  test('asks no more where that would be too late', () => {
    const { mints, throttled, lost } = simulateFleet(busy, { ...choice, timeoutSec: 5 })
    const once = [0, 43_200].map((at) => [at, 1])
    expect([list(mints.first), list(throttled), list(lost['no-credential'])]).toEqual([once, once, once])
  })

  test('asks three times within moments where the answer says nothing', () => {
    const provider = { ...busy.provider, retryAfterSec: undefined }
    const { requests, throttled, turns } = summarizeDay(simulateFleet({ ...busy, desktops: 100, provider }, choice))
    expect({
      turns,
      areRepeated: requests > turns && requests <= 3 * turns,
      areMostRefused: throttled > 0.9 * requests,
    }).toEqual({ turns: 200, areRepeated: true, areMostRefused: true })
  })
})

test('waits five seconds for an early renewal, and then serves the kept token', () => {
  const slow: FleetSettings = {
    ...busy,
    desktops: 1,
    taskEverySec: 600,
    tokenLifeSec: 8 * 3600,
    provider: { ...calmFleet.provider, latency: [[0, 6000]] },
  }
  const day = summarizeDay(simulateFleet(slow, { ...choice, renewEarly: 90 }, { computeFraction: () => 1 }))
  const waited = day.waits.flatMap((turns, step) => (turns > 0 ? [[step, turns]] : []))
  expect({ lost: day.lost, waited, areManyLate: day.late > 100 }).toEqual({
    lost: { 'no-credential': 0, unauthorized: 0 },
    // Turns wait not at all, at most 5 s, or at most 10 s for a token that they cannot do without.
    waited: [
      [0, day.turns - day.late - day.mints.first - day.mints.renewal],
      [6, day.late],
      [7, day.mints.first + day.mints.renewal],
    ],
    areManyLate: true,
  })
})
