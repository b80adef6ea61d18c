import { parseFleetScenario } from '../../client/fleet/scenario/parse-fleet-scenario.ts'
import { readyMadeFleets } from '../../client/fleet/scenario/ready-made-fleets.ts'
import { parseScenario } from '../../client/simulation/scenario/parse-scenario.ts'
import { readyMadeScenarios } from '../../client/simulation/scenario/ready-made-scenarios.ts'
import type { Scenario } from '../../client/simulation/scenario/scenario.ts'
import { HelperError } from '../../runtime/failure.ts'
import { readScenarioText, renderProblems } from './scenario-text.ts'

/** A scenario, and the name or file that it was asked for by. */
export interface NamedScenario {
  readonly name: string
  readonly scenario: Scenario
}

/** A scenario by its name or from a file, or its problems, a line each. @throws {HelperError} when there is none. */
export async function readScenario(name: string): Promise<NamedScenario | { readonly problems: string }> {
  if (Object.hasOwn(readyMadeFleets, name))
    throw new HelperError('usage', `${name} is the day of a fleet`, 'pass --fleet with a number of desktops')
  const parsed = parseScenario(await readScenarioText(name, readyMadeScenarios))
  return parsed.ok ? { name, scenario: parsed.scenario } : { problems: renderProblems(name, parsed.problems) }
}

/** The ready-made scenarios with what they are about, a line each, those of fleets below. */
export function renderScenarioList(): string {
  const clients = Object.entries(readyMadeScenarios).map(([name, text]) => [name, parseScenario(text)] as const)
  const fleets = Object.entries(readyMadeFleets).map(([name, text]) => [name, parseFleetScenario(text)] as const)
  const width = Math.max(...[...clients, ...fleets].map(([name]) => name.length)) + 2
  const render = ([name, parsed]: (typeof clients | typeof fleets)[number]) =>
    `${name.padEnd(width)}${parsed.ok ? parsed.scenario.summary : ''}\n`
  return `${clients.map(render).join('')}\nWith --fleet:\n${fleets.map(render).join('')}`
}
