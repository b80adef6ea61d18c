// Runs `gatepass simulate --fleet`; `stage.ts` has the day of one client.

import type { ConfigDocument } from '../../config/document.ts'
import { simulateFleet } from '../../fleet/day/simulate-fleet.ts'
import { computeSum, countLost } from '../../fleet/fleet-result.ts'
import { loadFormats } from '../../fleet/load-formats.ts'
import { describeScenario, renderFleet } from '../../fleet/render-fleet.ts'
import { renderFleetPage } from '../../fleet/render-fleet-page.ts'
import type { ComparedChoice, FleetScenario } from '../../fleet/scenario/choice-keys.ts'
import { choiceNames, type PlayedChoice, type PlayedFleet, toFleetRecord } from '../../fleet/summarize-fleet.ts'
import { outcomeStatus } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { writePage } from '../config/write-answer.ts'
import { defaultSeed } from './fleet-options.ts'
import type { NamedFleet } from './read-scenario.ts'
import { resolveChoices } from './resolve-choices.ts'
import type { SimulateFlags } from './stage.ts'

/** Runs `gatepass simulate --fleet`: a fleet's day under two choices, or its load for a gateway. */
export async function simulateDay(
  cli: Cli,
  { name, scenario }: NamedFleet,
  document: ConfigDocument | undefined,
  flags: SimulateFlags & { readonly fleet: number },
): Promise<void> {
  const { terminal } = cli
  const { fleet: desktops, seed = defaultSeed } = flags
  const choices = resolveChoices(scenario, document, flags)
  // A load engine follows the turns, which are equal under both choices.
  const played = playFleet(cli, { day: scenario.day, desktops, seed }, flags.export ? choices.slice(0, 1) : choices)
  const summary = describeScenario(scenario.summary, choices)
  const fleet: PlayedFleet = { name, summary, desktops, seed, played }
  if (flags.export) return terminal.printExact(loadFormats[flags.export](fleet))
  cli.setExitStatus(hasLostTurns(fleet) ? outcomeStatus.no : outcomeStatus.done)
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

/** Returns whether turns were lost under the first choice; the second is only for comparison. */
function hasLostTurns({ played: [first] }: PlayedFleet): boolean {
  return first !== undefined && computeSum(countLost(first.result)) > 0
}

interface Fleet {
  readonly day: FleetScenario['day']
  readonly desktops: number
  readonly seed: number
}
