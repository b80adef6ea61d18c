import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../../client/duration.ts'
import { renderPage } from '../../client/page/render-page.ts'
import { renderSimulation, renderSummary } from '../../client/simulation/report/render-simulation.ts'
import { summarize } from '../../client/simulation/report/summarize.ts'
import type { SimulationEvent } from '../../client/simulation/simulation-event.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { ClientName } from '../../contract/clients/client.ts'
import { clientNames } from '../../contract/clients/clients.ts'
import { exitStatus } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { writePage } from '../config/write-page.ts'
import { parseBaseUrl } from '../document-options.ts'
import { describeSource, readSource } from '../read-source.ts'
import { tellFindings, unreadableStatus } from '../show-findings.ts'
import { builtInDocuments } from './built-in.ts'
import type { SimulateFlags } from './flags.ts'
import { addFleetOptions, parseAs } from './fleet-options.ts'
import { describeClient, findClientDocument } from './other-clients.ts'
import { playNamed } from './play.ts'
import { readFleet } from './read-fleet.ts'
import { refuseFlags } from './refuse-flags.ts'
import { readScenario, renderScenarioList } from './scenario.ts'
import { simulateDay } from './simulate-day.ts'
import { moveExpiry } from './stage.ts'

/** `gatepass simulate`: a client's day with a document, in seconds. */
export function addSimulate(program: Command, cli: Cli): void {
  const command = program
    .command('simulate')
    .description("play a client's day with a document's helper or sign-in, in simulated time, or that of a whole fleet")
    .argument(
      '[document]',
      'a file, - for standard input, or the URL that serves it (default: a simulated helper, or person)',
    )
    .addOption(
      new Option('--client <name>', 'who runs the helper').choices(clientNames).default('desktop' satisfies ClientName),
    )
    .option('--command <path>', 'for other clients: the helper (default: a simulated one)')
    .option('--arg <argument...>', 'an argument for it; may be repeated')
    .option('--base-url <url>', 'for bazel and git: the server for which the helper is asked', parseBaseUrl)
    .option(
      '--scenario <name>',
      'a ready-made one, or a file in YAML or JSON (default: workday; of a fleet office-day)',
    )
    .option('--list', 'list the ready-made scenarios')
    .option('--gateway <url>', 'send turns there (default: a gateway in this process)')
    .option('--look-ahead <seconds>', 'how long before its end a ttl counts as over', parseSeconds)
    .option(
      '--token-life <seconds>',
      'how long a token lives if it does not say so itself; of a fleet the first choice',
      parseAs('tokenLife'),
    )
    .option('--all', 'show every event, those of turns without trouble included')
    .option('--html <file>', 'write the timeline, or the day of a fleet, as one page that needs no network')
    .option('--json', 'print one JSON document')
    .option('--yes', 'run the document’s command, or sign in, without asking')
  addFleetOptions(command)
  command
    .addHelpText(
      'after',
      '\nExit status: 0 if no turn was lost, 1 if one was, of a fleet under the first choice, 2 if something cannot be read, 5 if you do not agree.',
    )
    .action(async (source: string | undefined, flags: SimulateFlags) =>
      flags.list ? cli.terminal.print(renderScenarioList()) : simulate(cli, source, flags),
    )
}

async function simulate(cli: Cli, source: string | undefined, flags: SimulateFlags): Promise<void> {
  refuseFlags(flags)
  const { fleet } = flags
  await (fleet === undefined ? simulateClient(cli, source, flags) : simulateFleet(cli, source, { ...flags, fleet }))
}

async function simulateFleet(
  cli: Cli,
  source: string | undefined,
  flags: SimulateFlags & { readonly fleet: number },
): Promise<void> {
  const named = await readFleet(flags.scenario ?? 'office-day')
  if ('problems' in named) return refuseScenario(cli, named)
  const document = source === undefined ? undefined : await readWorkable(cli, source)
  if (source !== undefined && !document) return cli.setExitStatus(unreadableStatus)
  await simulateDay(cli, named, document, flags)
}

function refuseScenario({ terminal, setExitStatus }: Cli, { problems }: { readonly problems: string }): void {
  terminal.tell(problems)
  setExitStatus(exitStatus.usage)
}

async function simulateClient(cli: Cli, source: string | undefined, flags: SimulateFlags): Promise<void> {
  const { terminal } = cli
  const named = await readScenario(flags.scenario ?? 'workday')
  if ('problems' in named) return refuseScenario(cli, named)
  const document =
    findClientDocument(source, named, flags) ??
    (source === undefined ? builtInDocuments[named.scenario.kind ?? 'helper-script'] : await readWorkable(cli, source))
  if (!document) return cli.setExitStatus(unreadableStatus)
  const events = [...describeClient(flags.client), ...(await playNamed(cli, named, document, flags))]
  const summary = summarize(events)
  cli.setExitStatus(summary.lostTurns > 0 ? 1 : 0)
  if (flags.json) {
    const record = { scenario: named.name, summary, events: events.map(dated) }
    terminal.print(`${JSON.stringify(record, undefined, 2)}\n`)
  } else {
    const paint: Parameters<typeof renderSimulation>[2] = (style, text) =>
      style === 'good' ? text : terminal.paint(style, text)
    const detail = flags.all ? 'every event' : 'summary'
    terminal.print(`${renderSimulation(events, detail, paint)}\n${renderSummary(summary, paint)}`)
  }
  if (flags.html === undefined) return
  const page = renderPage({ title: named.name, summary: named.scenario.summary, events })
  await writePage(terminal, flags.html, page, 'The timeline')
}

async function readWorkable({ host, terminal }: Cli, source: string): Promise<ConfigDocument | undefined> {
  const result = await readSource({ host, terminal }, source)
  tellFindings(
    terminal,
    describeSource(source),
    result.findings.filter(({ severity }) => severity === 'error'),
  )
  return result.document && moveExpiry(result.document)
}

function dated({ at, ...event }: SimulationEvent) {
  return { at: new Date(at).toISOString(), ...event }
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : parseDuration(text)
  if (seconds !== undefined) return seconds
  throw new InvalidArgumentError('expected a whole number of seconds, or a time such as 90s, 15m or 8h.')
}
