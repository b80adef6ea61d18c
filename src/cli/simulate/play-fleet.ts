import { simulateFleet } from '../../client/fleet/play/simulate-fleet.ts'
import { choiceNames, type PlayedChoice } from '../../client/fleet/report/played-choice.ts'
import type { ComparedChoice, FleetScenario } from '../../client/fleet/scenario/fleet-scenario.ts'
import type { Cli } from '../cli.ts'

interface Fleet {
  readonly day: FleetScenario['day']
  readonly desktops: number
  readonly seed: number
}

/** Plays the day under each choice in turn; at a terminal a line says how far it is. */
export function playFleet({ host, terminal }: Cli, { day, desktops, seed }: Fleet, choices: readonly ComparedChoice[]) {
  const isWatched = host.streams.attached() === 'terminal'
  const played = choices.map((choice, index): PlayedChoice => {
    const settings = { ...day, desktops, seed, tokenLifeSec: choice.tokenLifeSec }
    const onProgress = (part: number) =>
      terminal.showProgress(`choice ${choiceNames[index]} of ${choices.length}: ${Math.round(part * 100)} %`)
    return { choice, result: simulateFleet(settings, choice, isWatched ? { onProgress } : {}) }
  })
  if (isWatched) terminal.showProgress()
  return played
}
