import type { FleetScenario } from '../../client/fleet/scenario/fleet-scenario.ts'
import { parseFleetScenario } from '../../client/fleet/scenario/parse-fleet-scenario.ts'
import { readyMadeFleets } from '../../client/fleet/scenario/ready-made-fleets.ts'
import { readyMadeScenarios } from '../../client/simulation/scenario/ready-made-scenarios.ts'
import { HelperError } from '../../runtime/failure.ts'
import { readScenarioText, renderProblems } from './scenario-text.ts'

/** A fleet, and the name or file that it was asked for by. */
export interface NamedFleet {
  readonly name: string
  readonly scenario: FleetScenario
}

/** A fleet by its name or from a file, or its problems, a line each. @throws {HelperError} `usage` when there is none. */
export async function readFleet(name: string): Promise<NamedFleet | { readonly problems: string }> {
  if (Object.hasOwn(readyMadeScenarios, name))
    throw new HelperError(
      'usage',
      `${name} is the day of one client`,
      'leave out --fleet, or choose a fleet of: gatepass simulate --list',
    )
  const parsed = parseFleetScenario(await readScenarioText(name, readyMadeFleets))
  return parsed.ok ? { name, scenario: parsed.scenario } : { problems: renderProblems(name, parsed.problems) }
}
