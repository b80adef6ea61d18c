// Folder: `npm run bench -- fleet`, which measures how long the simulated day of a fleet takes.

import { cpuUsage, resourceUsage } from 'node:process'
import { resolveChoices } from '../../../src/cli/simulate/resolve-choices.ts'
import { simulateFleet } from '../../../src/fleet/day/simulate-fleet.ts'
import { parseFleetScenario } from '../../../src/fleet/scenario/parse-fleet-scenario.ts'
import { readyMadeFleets } from '../../../src/fleet/scenario/ready-made-fleets.ts'

/** Plays the office day of so many desktops under both of its choices, and prints what that took. */
export function printFleet(desktops: number): void {
  const parsed = parseFleetScenario(readyMadeFleets['office-day'] ?? '')
  if (!parsed.ok) throw new Error('the ready-made fleet cannot be read')
  const { scenario } = parsed
  for (const choice of resolveChoices(scenario, undefined, {})) {
    const startedAt = performance.now()
    const before = cpuUsage()
    const { turns } = simulateFleet({ ...scenario.day, ...choice, desktops, seed: 1 }, choice)
    const seconds = (performance.now() - startedAt) / 1000
    const { user, system } = cpuUsage(before)
    const sum = turns.reduce((total, count) => total + count, 0)
    console.log(
      `${desktops} desktops for a day, ttlSec ${choice.ttlSec}: ${sum} turns in ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of a processor`,
    )
  }
  console.log(`memory at most: ${Math.round(resourceUsage().maxRSS / 1024)} MiB`)
}
