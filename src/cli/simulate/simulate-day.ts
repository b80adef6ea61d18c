import { readyMadeScenarios } from '../../client/simulation/ready-made-scenarios.ts'
import type { ScenarioProblem } from '../../client/simulation/scenario.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { simulateFleet } from '../../fleet/day/simulate-fleet.ts'
import { computeSum, countLost } from '../../fleet/fleet-result.ts'
import { loadFormats } from '../../fleet/load-formats.ts'
import { describeScenario, renderFleet } from '../../fleet/render-fleet.ts'
import { renderFleetPage } from '../../fleet/render-fleet-page.ts'
import type { ComparedChoice, FleetScenario } from '../../fleet/scenario/choice-keys.ts'
import { parseFleetScenario } from '../../fleet/scenario/parse-fleet-scenario.ts'
import { readyMadeFleets } from '../../fleet/scenario/ready-made-fleets.ts'
import { choiceNames, type PlayedChoice, type PlayedFleet, toFleetRecord } from '../../fleet/summarize-fleet.ts'
import { HelperError, renderHint, toOneLine } from '../../runtime/failure.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { writePage } from '../config/write-answer.ts'
import { readNamedText } from '../read-text.ts'
import { resolveChoices } from './resolve-choices.ts'
import type { SimulateFlags } from './stage.ts'

/** `gatepass simulate --fleet`: a fleet's day under two choices, or its load for a gateway. */
export async function simulateDay(
  cli: Cli,
  { name, scenario }: NamedFleet,
  document: ConfigDocument | undefined,
  flags: SimulateFlags & { readonly fleet: number },
): Promise<void> {
  const { terminal } = cli
  const { fleet: desktops, seed = 1 } = flags
  const choices = resolveChoices(scenario, document, flags)
  // A load engine follows the turns, which are equal under both choices.
  const played = playFleet(cli, { day: scenario.day, desktops, seed }, flags.export ? choices.slice(0, 1) : choices)
  const summary = describeScenario(scenario.summary, choices)
  const fleet: PlayedFleet = { name, summary, desktops, seed, played }
  if (flags.export) return terminal.printExact(loadFormats[flags.export](fleet))
  cli.setExitStatus(hasLostTurns(fleet) ? 1 : 0)
  terminal.print(
    flags.json
      ? `${JSON.stringify(toFleetRecord(fleet))}\n`
      : renderFleet(fleet, terminal.columns(), (style, text) =>
          style === 'good' ? text : terminal.paint(style, text),
        ),
  )
  if (flags.html !== undefined) await writePage(terminal, flags.html, renderFleetPage(fleet), 'The day')
}

/** Simulates the day under each choice; a terminal shows the progress on a line. */
function playFleet({ host, terminal }: Cli, { day, desktops, seed }: Fleet, choices: readonly ComparedChoice[]) {
  const isWatched = host.streams.attached() === 'terminal'
  const played = choices.map((choice, index): PlayedChoice => {
    const settings = { ...day, desktops, seed, tokenLifeSec: choice.tokenLifeSec }
    const onProgress = (part: number) =>
      terminal.tellProgress(`choice ${choiceNames[index]} of ${choices.length}: ${Math.round(part * 100)} %`)
    return { choice, result: simulateFleet(settings, choice, isWatched ? { onProgress } : {}) }
  })
  if (isWatched) terminal.tellProgress()
  return played
}

interface NamedFleet {
  readonly name: string
  readonly scenario: FleetScenario
}

/** Whether turns were lost under the first choice; the second is only for comparison. */
function hasLostTurns({ played: [first] }: PlayedFleet): boolean {
  return first !== undefined && computeSum(countLost(first.result)) > 0
}

interface Fleet {
  readonly day: FleetScenario['day']
  readonly desktops: number
  readonly seed: number
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
      'remove --fleet, or choose a fleet from: gatepass simulate --list',
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
const listScenarios = 'gatepass simulate --list'

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
