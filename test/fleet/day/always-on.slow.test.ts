import { expect, test } from 'vitest'
import { simulateFleet } from '../../../src/fleet/day/simulate-fleet.ts'
import type { FleetChoice, FleetSettings } from '../../../src/fleet/fleet-settings.ts'
import { calmFleet, halfHour, office, peak, sum, summarizeDay } from './test-fleet.ts'

const hourSec = 3600

/** Machines that were set up at one midnight, with a task every five minutes and tokens of half a day. */
const machines: FleetSettings = {
  ...calmFleet,
  desktops: 1000,
  sites: [{ ...office, machine: 'always-on', stays: 0 }],
  taskEverySec: 300,
  taskSpreadSec: 30,
  tokenLifeSec: 12 * hourSec,
}
const choice: FleetChoice = { ttlSec: 300, timeoutSec: 60, renewEarly: 0 }

const computePeak = (fleet: FleetSettings, chosen: FleetChoice) => peak(simulateFleet(fleet, chosen).requests)

test('machines that began together ask together, and with early renewal at most a fifth of them', () => {
  const [late, early] = [choice, { ...choice, renewEarly: 25 }].map((chosen) => computePeak(machines, chosen))
  expect(late).toBeGreaterThanOrEqual(5 * early!)
})

test('early renewal leaves the morning of an office as it is', () => {
  const fleet = { ...calmFleet, desktops: 1000 }
  const morning = [0, 90].map((renewEarly) => {
    const { mints } = simulateFleet(fleet, { ...halfHour, renewEarly })
    return sum(mints.first.subarray(0, 11 * hourSec))
  })
  expect(morning[0]).toBe(morning[1])
  expect(morning[0]).toBeGreaterThanOrEqual(fleet.desktops)
})

test('early renewal loses no turn while the provider is out', () => {
  const outages = [{ at: 11.75 * hourSec, forSec: 600 }]
  const days = [0, 90].map((renewEarly) =>
    summarizeDay(simulateFleet({ ...machines, outages }, { ...choice, renewEarly })),
  )
  const [late, early] = days
  const { lost, runs, unreachable } = early!
  expect({
    early: { lost, failed: runs.failed, kept: runs.kept, isOut: unreachable > 0 },
    late: { areManyKept: late!.runs.kept > machines.desktops / 2, isLost: late!.lost['no-credential'] > 0 },
  }).toEqual({
    early: { lost: { 'no-credential': 0, unauthorized: 0 }, failed: 0, kept: 0, isOut: true },
    late: { areManyKept: true, isLost: true },
  })
})

test.each([
  [300, 1, 180],
  [600, 1, 300],
  [600, 1, 900],
  [3600, 8, 180],
  [600, 12, 900],
])(
  'machines with a task every %d s, tokens of %d h and a ttl of %d s do not meet again',
  (taskEverySec, hours, ttlSec) => {
    const fleet = { ...machines, taskEverySec, tokenLifeSec: hours * hourSec }
    const [late, quarter, half] = [0, 25, 50].map((renewEarly) => computePeak(fleet, { ...choice, ttlSec, renewEarly }))
    expect(quarter).toBeLessThan(0.7 * late!)
    expect(half).toBeLessThan(0.8 * late!)
  },
)

test('without early renewal the fraction of a desktop makes no difference', () => {
  const outcomes = [0, 0.99].map((fraction) =>
    summarizeDay(simulateFleet({ ...machines, desktops: 100 }, choice, { computeFraction: () => fraction })),
  )
  expect(outcomes[0]).toEqual(outcomes[1])
})
