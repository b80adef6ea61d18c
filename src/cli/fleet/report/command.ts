import type { Command } from 'commander'
import { exitStatus, HelperError } from '../../../runtime/failure.ts'
import type { Cli } from '../../cli.ts'
import { writePage } from '../../config/write-page.ts'
import { countCalls } from './count-calls.ts'
import { parseMoment, type ReportFlags } from './flags.ts'
import { renderFleetPage } from './page/render-fleet-page.ts'
import { createProgressLine } from './progress-line.ts'
import { renderJson } from './render/render-json.ts'
import { renderSummary } from './render/render-summary.ts'
import { renderTroubles } from './render/render-troubles.ts'
import type { FleetSummary } from './summary/fleet-summary.ts'
import { toFleetSummary } from './summary/to-fleet-summary.ts'

/** `gatepass fleet report`: what collected logs say about all machines together. */
export function addFleetReport(fleet: Command, cli: Cli): void {
  const moment = (text: string) => parseMoment(text, cli.host.clock.now())
  fleet
    .command('report')
    .description('count the calls of collected logs: failures by cause and machine, lateness, versions')
    .argument('<logs...>', 'files, directories, or - for standard input')
    .option(
      '--since <moment>',
      'calls from then on: 2026-03-02, 2026-03-02T09:00Z, or 12h for twelve hours ago',
      moment,
    )
    .option('--until <moment>', 'calls before then', moment)
    .option('--helper <name>', 'calls of this helper')
    .option('--html <file>', 'write the report as one page with charts, which needs no network')
    .option('--json', 'print one JSON document, with every machine that failed')
    .addHelpText('after', `\n${helpText}`)
    .action(async (paths: readonly string[], flags: ReportFlags) => report(cli, paths, flags))
}

const helpText = `A log is what --log-file writes, lines of outcomes, or a system's log that holds them: a text file of syslog, or what these print: journalctl -o json, log show --style ndjson, wevtutil qe Application /f:xml. Each may be compressed by gzip. The machine is the one that a record names, otherwise the name of the file, or of its folder.

Exit status: 0, whatever failed in the logs; 2 if a file cannot be read, after the report of the others.`

async function report(cli: Cli, paths: readonly string[], flags: ReportFlags): Promise<void> {
  const summary = await summarizeLogs(cli, paths, flags)
  const { troubles } = summary.input
  cli.terminal.tell(renderTroubles(troubles))
  cli.setExitStatus(troubles.some(({ reason }) => reason !== undefined) ? exitStatus.usage : 0)
  if (flags.json) cli.terminal.print(renderJson(summary))
  else cli.terminal.print(renderSummary(summary, cli.terminal.paint))
  if (flags.html !== undefined) await writePage(cli.terminal, flags.html, renderFleetPage(summary), 'The page')
}

async function summarizeLogs(
  { host, terminal, helpers }: Cli,
  paths: readonly string[],
  flags: ReportFlags,
): Promise<FleetSummary> {
  const { since = 0, until = Number.POSITIVE_INFINITY, helper } = flags
  if (since >= until)
    throw new HelperError('usage', '--since is not before --until', 'name an earlier moment with --since')
  const isWatched = host.streams.attached() === 'terminal'
  const { totals, input } = await countCalls({
    paths,
    helpers: new Set(helpers.keys()),
    // Of lost calls nobody knows the helper.
    isWanted: (call) =>
      call.time >= since && call.time < until && (helper === undefined || (call.helper ?? helper) === helper),
    readInput: terminal.readInput,
    onProgress: isWatched ? createProgressLine(terminal) : () => {},
  })
  if (isWatched) terminal.showProgress()
  return toFleetSummary(totals, input)
}
