import { describe, expect, test } from 'vitest'
import { SimulatedProvider } from '../../../src/fleet/day/fleet-play.ts'
import type { FleetSettings } from '../../../src/fleet/fleet-settings.ts'
import { calmFleet } from './test-fleet.ts'

const dayMs = 86_400_000

function makeProvider(settings: Partial<FleetSettings>): SimulatedProvider {
  return new SimulatedProvider({ ...calmFleet, ...settings }, (2 * dayMs) / 1000, dayMs)
}

describe('the provider of a fleet', () => {
  test('answers as many requests of a second as its quota', () => {
    const provider = makeProvider({ provider: { ...calmFleet.provider, quotaPerSec: 2 } })
    expect([0, 999, 500, 1000].map((at) => provider.ask(at))).toEqual(['token', 'token', 'throttled', 'token'])
  })

  test('takes longer the more often it is asked in a second, up to its last point', () => {
    const latency = [
      [10, 100],
      [20, 300],
    ] as const
    const provider = makeProvider({ provider: { ...calmFleet.provider, latency } })
    const taken = Array.from({ length: 25 }, () => [provider.ask(0), provider.computeLatencyMs(0)][1])
    expect([1, 10, 15, 20, 25].map((requests) => taken[requests - 1])).toEqual([100, 100, 200, 300, 300])
  })

  test('is out of reach from the beginning of an outage until its end, on the counted day', () => {
    const provider = makeProvider({ outages: [{ at: 10, forSec: 5 }] })
    const moments = [10_000, dayMs + 9999, dayMs + 10_000, dayMs + 14_999, dayMs + 15_000]
    expect(moments.map((at) => provider.ask(at))).toEqual(['token', 'token', 'unreachable', 'unreachable', 'token'])
  })

  test('revokes what was minted before the moment, and nothing else', () => {
    const provider = makeProvider({ revocations: [10, 20] })
    const minted = [0, dayMs + 9999, dayMs + 10_000, dayMs + 20_000]
    expect(minted.map((at) => provider.computeRevocation(at))).toEqual([
      dayMs + 10_000,
      dayMs + 10_000,
      dayMs + 20_000,
      Number.POSITIVE_INFINITY,
    ])
  })
})
