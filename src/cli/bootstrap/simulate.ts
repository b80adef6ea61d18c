import type { Command } from 'commander'
import { renderConfiguration } from '../../fleet/configuration/render-configuration.ts'
import { renderConfigurationPage } from '../../fleet/configuration/render-configuration-page.ts'
import { simulateConfiguration } from '../../fleet/configuration/simulate-configuration.ts'
import { type PlayedConfiguration, toConfigurationRecord } from '../../fleet/configuration/summarize-configuration.ts'
import {
  type ConfigurationScenario,
  parseConfigurationScenario,
} from '../../fleet/scenario/parse-configuration-scenario.ts'
import { readyMadeConfigurations } from '../../fleet/scenario/ready-made-fleets.ts'
import { exitStatus, outcomeStatus } from '../../runtime/failure.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { writePage } from '../config/write-answer.ts'
import { parseCount } from '../option-values.ts'
import { parseDesktops } from '../simulate/fleet-options.ts'
import { readScenarioText, renderProblems } from '../simulate/read-scenario.ts'
import { jsonOption } from '../terminal.ts'

const listHint = `${programName} bootstrap simulate --list`

/** Adds `gatepass bootstrap simulate`: a fleet's day with its configuration server. */
export function addBootstrapSimulate(bootstrap: Command, cli: Cli): void {
  bootstrap
    .command('simulate')
    .description("play a fleet's day at its configuration server: who has which release, and whom a restart blocks")
    .option('--desktops <number>', 'how many desktops there are', parseDesktops, 10_000)
    .option('--scenario <name>', 'a ready-made one, or a file in YAML or JSON', 'release-in-waves')
    .option('--list', 'list the ready-made scenarios')
    .option('--seed <number>', 'another number plays another day', parseCount, 1)
    .option('--html <file>', 'write the day as one page with charts, which needs no network')
    .option(...jsonOption)
    .addHelpText(
      'after',
      `\nIt runs no server and sends nothing: it plays by the functions of the server, in simulated time.\n\nExit status: ${outcomeStatus.done} if no turn was lost, ${outcomeStatus.no} if one was, ${outcomeStatus.usage} if the scenario cannot be read.`,
    )
    .action(async (flags: ReleaseDayFlags) =>
      flags.list ? cli.terminal.print(renderList()) : runSimulation(cli, flags),
    )
}

interface ReleaseDayFlags {
  readonly desktops: number
  readonly scenario: string
  readonly seed: number
  readonly html?: string
  readonly json?: true
  readonly list?: true
}

function renderList(): string {
  const rows = Object.entries(readyMadeConfigurations).map(([name, text]) => {
    const parsed = parseConfigurationScenario(text)
    return `${name.padEnd(22)}${parsed.ok ? parsed.scenario.summary : ''}\n`
  })
  return rows.join('')
}

async function runSimulation(cli: Cli, flags: ReleaseDayFlags): Promise<void> {
  const { terminal } = cli
  const { scenario: name, desktops, seed } = flags
  const parsed = parseConfigurationScenario(await readScenarioText(name, readyMadeConfigurations, listHint))
  if (!parsed.ok) {
    terminal.tell(renderProblems(name, parsed.problems, 'docs/release-simulation.md'))
    return cli.setExitStatus(exitStatus.usage)
  }
  const played = playDay(cli, { name, desktops, seed }, parsed.scenario)
  cli.setExitStatus(played.result.lostTurns > 0 ? outcomeStatus.no : outcomeStatus.done)
  terminal.print(
    flags.json
      ? `${JSON.stringify(toConfigurationRecord(played))}\n`
      : renderConfiguration(played, (style, text) => terminal.paint(style === 'good' ? 'strong' : style, text)),
  )
  if (flags.html !== undefined) await writePage(terminal, flags.html, renderConfigurationPage(played), 'The day')
}

/** Simulates the day; a terminal shows the progress on a line. */
function playDay(
  { host, terminal }: Cli,
  named: Pick<PlayedConfiguration, 'name' | 'desktops' | 'seed'>,
  { day, summary }: ConfigurationScenario,
): PlayedConfiguration {
  const isWatched = host.streams.attached() === 'terminal'
  const onProgress = (part: number) => terminal.tellProgress(`${Math.round(part * 100)} %`)
  const result = simulateConfiguration({ ...day, ...named }, isWatched ? onProgress : undefined)
  if (isWatched) terminal.tellProgress()
  return { ...named, summary, result }
}
