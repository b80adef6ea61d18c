// Measures how long the simulated day of a fleet takes, for `npm run bench -- fleet`.

import { cpuUsage, resourceUsage } from 'node:process'
import { resolveChoices } from '../../src/cli/simulate/resolve-choices.ts'
import { simulateConfiguration } from '../../src/fleet/configuration/simulate-configuration.ts'
import { simulateFleet } from '../../src/fleet/day/simulate-fleet.ts'
import { parseConfigurationScenario } from '../../src/fleet/scenario/parse-configuration-scenario.ts'
import { parseFleetScenario } from '../../src/fleet/scenario/parse-fleet-scenario.ts'
import { readyMadeConfigurations, readyMadeFleets } from '../../src/fleet/scenario/ready-made-fleets.ts'

/** Simulates days of this number of desktops, and prints the time. */
export function printFleet(desktops: number): void {
  printConfiguration(desktops)
  printOfficeDay(desktops)
}

/** Measures a release in four waves, given to each person by the functions of the server. */
function printConfiguration(desktops: number): void {
  const parsed = parseConfigurationScenario(readyMadeConfigurations['release-in-waves'] ?? '')
  if (!parsed.ok) throw new Error('the ready-made day of a configuration server cannot be read')
  const startedAt = performance.now()
  const before = cpuUsage()
  const { starts } = simulateConfiguration({ ...parsed.scenario.day, desktops, seed: 1 })
  printCost(`${desktops} people, a release in four waves: ${starts['own-restart']} restarts`, startedAt, before)
}

function printOfficeDay(desktops: number): void {
  const parsed = parseFleetScenario(readyMadeFleets['office-day'] ?? '')
  if (!parsed.ok) throw new Error('the ready-made fleet cannot be read')
  const { scenario } = parsed
  for (const choice of resolveChoices(scenario, undefined, {})) {
    const startedAt = performance.now()
    const before = cpuUsage()
    const { turns } = simulateFleet({ ...scenario.day, ...choice, desktops, seed: 1 }, choice)
    const sum = turns.reduce((total, count) => total + count, 0)
    printCost(`${desktops} desktops for a day, ttlSec ${choice.ttlSec}: ${sum} turns`, startedAt, before)
  }
}

function printCost(what: string, startedAt: number, before: NodeJS.CpuUsage): void {
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = cpuUsage(before)
  const memory = Math.round(resourceUsage().maxRSS / 1024)
  console.log(
    `${what} in ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of a processor; memory so far at most ${memory} MiB`,
  )
}
