import { loadFormats } from '../../client/fleet/load/load-formats.ts'
import { renderFleetPage } from '../../client/fleet/page/render-fleet-page.ts'
import { computeSum, countLost } from '../../client/fleet/report/fleet-series.ts'
import type { PlayedFleet } from '../../client/fleet/report/played-choice.ts'
import { renderFleet } from '../../client/fleet/report/render-fleet.ts'
import { toFleetRecord } from '../../client/fleet/report/to-fleet-record.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { Cli } from '../cli.ts'
import { writePage } from '../config/write-page.ts'
import type { SimulateFlags } from './flags.ts'
import { playFleet } from './play-fleet.ts'
import type { NamedFleet } from './read-fleet.ts'
import { resolveChoices } from './resolve-choices.ts'

/** `gatepass simulate --fleet`: a fleet's day under two choices, or the load that it is for a gateway. */
export async function simulateDay(
  cli: Cli,
  { name, scenario }: NamedFleet,
  document: ConfigDocument | undefined,
  flags: SimulateFlags & { readonly fleet: number },
): Promise<void> {
  const { terminal } = cli
  const { fleet: desktops, seed = 1 } = flags
  const choices = resolveChoices(scenario, document, flags)
  // A load engine follows the turns, which are the same under both.
  const played = playFleet(cli, { day: scenario.day, desktops, seed }, flags.export ? choices.slice(0, 1) : choices)
  const fleet: PlayedFleet = { name, summary: scenario.summary, desktops, seed, played }
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

/** Under the first choice; the second is what it is compared with. */
function hasLostTurns({ played: [first] }: PlayedFleet): boolean {
  return first !== undefined && computeSum(countLost(first.result)) > 0
}
