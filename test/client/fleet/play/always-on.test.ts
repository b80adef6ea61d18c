import { expect, test } from 'vitest'
import type { FleetChoice, FleetSettings } from '../../../../src/client/fleet/fleet-settings.ts'
import { simulateFleet } from '../../../../src/client/fleet/play/simulate-fleet.ts'
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

const findPeak = (fleet: FleetSettings, chosen: FleetChoice) => peak(simulateFleet(fleet, chosen).requests)

test('machines that began together ask together, and with early renewal a fifth of them do at most', () => {
  const [late, early] = [choice, { ...choice, renewEarly: 25 }].map((chosen) => findPeak(machines, chosen))
  expect(late).toBeGreaterThanOrEqual(5 * early!)
})

test('the morning of an office stays as it is, because nobody has a token that could be renewed', () => {
  const fleet = { ...calmFleet, desktops: 1000 }
  const morning = [0, 90].map((renewEarly) => {
    const { mints } = simulateFleet(fleet, { ...halfHour, renewEarly })
    return sum(mints.first.subarray(0, 11 * hourSec))
  })
  expect(morning[0]).toBe(morning[1])
  expect(morning[0]).toBeGreaterThanOrEqual(fleet.desktops)
})

test('early renewal loses no turn while the provider is out, nor waits for it', () => {
  const outages = [{ at: 10 * hourSec, forSec: 600 }]
  const day = summarizeDay(simulateFleet({ ...machines, outages }, { ...choice, renewEarly: 90 }))
  expect(day).toMatchObject({ lost: { 'no-credential': 0, unauthorized: 0 }, runs: { failed: 0, kept: 0 } })
  expect(day.unreachable).toBeGreaterThan(0)
})

test('without early renewal it makes no difference by which part a desktop would renew', () => {
  const outcomes = [0, 0.99].map((fraction) =>
    summarizeDay(simulateFleet({ ...machines, desktops: 100 }, choice, { findFraction: () => fraction })),
  )
  expect(outcomes[0]).toEqual(outcomes[1])
})
