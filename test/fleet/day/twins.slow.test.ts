import { expect, test } from 'vitest'
import { simulateFleet } from '../../../src/fleet/day/simulate-fleet.ts'
import type { FleetChoice, FleetSettings } from '../../../src/fleet/fleet-settings.ts'
import { type Deed, type FleetEvent, startRealDesktop } from './real-desktop.ts'
import { calmFleet, office } from './test-fleet.ts'

const minuteSec = 60
const hourSec = 3600

/** A short day with a sleep, a revocation, and an outage in which everything is revoked once more. */
const settings: FleetSettings = {
  ...calmFleet,
  desktops: 10,
  seed: 18,
  warmUpDays: 0,
  sites: [
    {
      ...office,
      beginSpreadSec: 20 * minuteSec,
      stays: 3.5 * hourSec,
      sleeps: [{ at: 10 * hourSec, forSec: 30 * minuteSec, spreadSec: 10 * minuteSec }],
    },
  ],
  turnEverySec: 15 * minuteSec,
  taskEverySec: 25 * minuteSec,
  taskSpreadSec: 5 * minuteSec,
  tokenLifeSec: hourSec,
  outages: [{ at: 11 * hourSec, forSec: 40 * minuteSec }],
  revocations: [9 * hourSec + 40 * minuteSec, 11 * hourSec + 20 * minuteSec],
}

const choice: FleetChoice = { ttlSec: 15 * minuteSec, timeoutSec: 20, renewEarly: 90 }

test.each(Array.from({ length: 10 }, (_, desktop) => desktop))(
  'simulated desktop %s does what a real one does at the same moments',
  async (desktop) => {
    const real = await startRealDesktop(settings, choice)
    const simulate = () => listDeeds(settings, desktop, real.fractions)
    const played: PlayedDeed[] = []
    // The simulation up to the next act does not depend on a token that the real desktop has yet to mint.
    for (let next = simulate()[0]; next; next = simulate()[played.length]) {
      const { at, event } = next
      played.push({ at, event, outcomes: await real.play({ at, event }) })
    }
    expect(played.map(describe)).toEqual(simulate().map(describe))
    // Each token is renewed early by a part of its own.
    expect(new Set(real.fractions).size).toBe(real.fractions.length)
  },
)

test('these days contain every kind of event', () => {
  const all = settings.desktops
  const seen = new Set(
    Array.from({ length: all }, (_, desktop) => listDeeds(settings, desktop, []))
      .flat()
      .flatMap(({ outcomes }) => outcomes),
  )
  expect([...seen].sort()).toEqual([
    'mint: first',
    'mint: refusal',
    'mint: renewal',
    'run: cache',
    'run: failed',
    'run: kept',
    'run: mint',
    'turn: no-credential',
    'turn: rescued',
    'turn: sent',
    'turn: unauthorized',
  ])
})

interface PlayedDeed extends Deed {
  readonly outcomes: readonly FleetEvent[]
}

/** Lists the acts of one simulated desktop, and their results. Its tokens have these fractions in turn, and then the middle one. */
function listDeeds(fleet: FleetSettings, desktop: number, fractions: readonly number[]): PlayedDeed[] {
  const left = [...fractions]
  const deeds: (Deed & { outcomes: FleetEvent[] })[] = []
  simulateFleet(fleet, choice, {
    computeFraction: (number) => (number === desktop ? left.shift() : undefined) ?? 0.5,
    observe: (number, at, event) => {
      if (number !== desktop) return
      if (event === 'begin' || event === 'turn' || event === 'task') deeds.push({ at, event, outcomes: [] })
      else if (event.includes(': ')) deeds.at(-1)!.outcomes.push(event)
    },
  })
  return deeds
}

function describe({ at, event, outcomes }: PlayedDeed): string {
  return `${new Date(at).toISOString().slice(11, 19)} ${event}: ${outcomes.join(', ') || 'nothing is needed'}`
}
