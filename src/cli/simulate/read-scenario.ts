// The scenario of a day by its name or from a file, for a client or a fleet.

import { parseScenario } from '../../client/simulation/parse-scenario.ts'
import { readyMadeScenarios } from '../../client/simulation/ready-made-scenarios.ts'
import type { Scenario, ScenarioProblem } from '../../client/simulation/scenario.ts'
import { describeScenario } from '../../fleet/render-fleet.ts'
import type { FleetScenario } from '../../fleet/scenario/choice-keys.ts'
import { parseFleetScenario } from '../../fleet/scenario/parse-fleet-scenario.ts'
import { readyMadeFleets } from '../../fleet/scenario/ready-made-fleets.ts'
import { HelperError, renderHint, toOneLine } from '../../runtime/failure.ts'
import { programName } from '../../version.ts'
import { readNamedText } from '../read-text.ts'

/** A scenario, and its name or file. */
export interface NamedScenario {
  readonly name: string
  readonly scenario: Scenario
}

/**
 * Reads a scenario by its name or from a file; returns the list of its problems if it is invalid.
 * @throws {HelperError} if no such scenario exists.
 */
export async function readScenario(name: string): Promise<NamedScenario | { readonly problems: string }> {
  if (Object.hasOwn(readyMadeFleets, name))
    throw new HelperError('usage', `${name} is the day of a fleet`, 'pass --fleet with a number of desktops')
  const parsed = parseScenario(await readScenarioText(name, readyMadeScenarios))
  return parsed.ok
    ? { name, scenario: parsed.scenario }
    : { problems: renderProblems(name, parsed.problems, 'docs/simulate.md') }
}

/** A scenario of a fleet, and its name or file. */
export interface NamedFleet {
  readonly name: string
  readonly scenario: FleetScenario
}

/**
 * Reads a fleet by its name or from a file; returns the list of its problems if it is invalid.
 * @throws {HelperError} `usage` if no such fleet exists.
 */
export async function readFleet(name: string): Promise<NamedFleet | { readonly problems: string }> {
  if (Object.hasOwn(readyMadeScenarios, name))
    throw new HelperError(
      'usage',
      `${name} is the day of one client`,
      `remove --fleet, or choose a fleet from: ${listScenarios}`,
    )
  const parsed = parseFleetScenario(await readScenarioText(name, readyMadeFleets))
  return parsed.ok
    ? { name, scenario: parsed.scenario }
    : { problems: renderProblems(name, parsed.problems, 'docs/fleet-simulation.md') }
}

/**
 * Reads the text of a ready-made scenario, or of a file.
 * @throws {HelperError} `usage` without either.
 */
export async function readScenarioText(
  name: string,
  readyMade: Readonly<Record<string, string>>,
  listCommand = listScenarios,
): Promise<string> {
  if (Object.hasOwn(readyMade, name)) return readyMade[name]!
  const missing = `there is no scenario and no file ${name}`
  return readNamedText(name, { missing, hint: `name a file, or choose from: ${listCommand}` })
}

/** The command that lists what can be played. */
const listScenarios = `${programName} simulate --list`

/**
 * Renders all problems of a scenario, one a line, and the page that lists its keys.
 * @param page A page of the documentation.
 */
export function renderProblems(name: string, problems: readonly ScenarioProblem[], page: string): string {
  const lines = problems.map(
    ({ line, message }) => `${programName}: ${toOneLine(`${name}:${line ?? 1}: ${message}`)}\n`,
  )
  return `${lines.join('')}${renderHint(programName, `correct the file; ${page} lists what a scenario may have`)}`
}

/** Renders the ready-made scenarios with their summaries, one a line, those of fleets last. */
export function renderScenarioList(): string {
  const clients = Object.entries(readyMadeScenarios).map(([name, text]) => [name, parseScenario(text)] as const)
  const fleets = Object.entries(readyMadeFleets).map(([name, text]) => [name, parseFleetScenario(text)] as const)
  const width = Math.max(...[...clients, ...fleets].map(([name]) => name.length)) + 2
  const line = (name: string, words: string) => `${name.padEnd(width)}${words}\n`
  const ofClients = clients.map(([name, parsed]) => line(name, parsed.ok ? parsed.scenario.summary : ''))
  const ofFleets = fleets.map(([name, parsed]) =>
    line(name, parsed.ok ? describeScenario(parsed.scenario.summary, parsed.scenario.choices) : ''),
  )
  return `${ofClients.join('')}\nWith --fleet:\n${ofFleets.join('')}`
}
