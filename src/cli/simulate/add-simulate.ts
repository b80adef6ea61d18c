// Folder: `gatepass simulate`: a client's or a fleet's day, its documents, and its options.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { renderSimulationPage } from '../../client/page/render-simulation-page.ts'
import { planDocuments, planScenario } from '../../client/simulation/plan-scenario.ts'
import { renderSimulation, renderSummary } from '../../client/simulation/render-simulation.ts'
import type { SimulationEvent } from '../../client/simulation/simulation-event.ts'
import { describeConclusions, summarize } from '../../client/simulation/summarize-simulation.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { type ClientName, clientNames, clients } from '../../contract/clients.ts'
import { exitStatus, HelperError, outcomeStatus } from '../../runtime/failure.ts'
import { hideUrlSecrets } from '../../runtime/text/hide-secrets.ts'
import { parseDuration } from '../../runtime/values/duration.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import { askToRun, renderUrl, validateDestination } from '../ask-to-run.ts'
import type { Cli, ProgramCommand } from '../cli.ts'
import { writePage } from '../config/write-answer.ts'
import { addBootstrapOptions, refuseBootstrapFlags } from '../configuration-server.ts'
import { serverClients } from '../option-values.ts'
import { describeSource, parseBaseUrl, readSource } from '../read-source.ts'
import { tellErrors, unreadableStatus } from '../show-findings.ts'
import { jsonOption } from '../terminal.ts'
import { builtInDocuments, createClientDocument, isBuiltIn } from './built-in.ts'
import { addFleetOptions, parseAs, refuseMixedOptions } from './fleet-options.ts'
import { listDifferences, refuseClientFlags } from './other-clients.ts'
import { type NamedScenario, readFleet, readScenario, renderScenarioList } from './read-scenario.ts'
import { simulateDay } from './simulate-day.ts'
import {
  computeDayStart,
  type FirstDocument,
  fetchFirstDocument,
  moveExpiry,
  playOnGateway,
  type SimulateFlags,
} from './stage.ts'

/** `gatepass simulate`: a client's day with a document, in seconds. */
export const simulateCommand: ProgramCommand = {
  add: addSimulate,
  examples: {
    simulate: [
      'gatepass simulate',
      'gatepass simulate config.json --scenario sign-in-ends --html day.html',
      'gatepass simulate --fleet 500 --against ttlSec=900',
    ],
  },
}

function addSimulate(program: Command, cli: Cli): void {
  const command = program
    .command('simulate')
    .description("play a client's day with a document's helper or sign-in, in simulated time, or that of a whole fleet")
    .argument(
      '[document]',
      'a file, - for standard input, or the URL that serves it (default: a simulated helper, or person)',
    )
    .addOption(
      new Option('--client <name>', 'the client that runs the helper')
        .choices(clientNames)
        .default('desktop' satisfies ClientName),
    )
    .option('--command <path>', 'for other clients: the helper (default: a simulated one)')
    .option('--arg <argument...>', 'an argument for it; may be repeated')
    .option('--base-url <url>', `for ${serverClients}: the server for which the helper is asked`, parseBaseUrl)
    .option(
      '--scenario <name>',
      'a ready-made one, or a file in YAML or JSON (default: workday; for a fleet: office-day)',
    )
    .option('--list', 'list the ready-made scenarios')
    .option('--gateway <url>', 'send turns there (default: a gateway in this process)')
    .option('--look-ahead <seconds>', 'how long before its end a ttl counts as over', parseSeconds)
    .option(
      '--token-life <seconds>',
      'how long a token lives if it does not say so itself; for a fleet: in the first choice',
      parseAs('tokenLife'),
    )
    .option('--all', 'show every event, those of turns without trouble included')
    .option('--html <file>', 'write the timeline, or the day of the fleet, as one page that needs no network')
    .option(...jsonOption)
    .option('--yes', 'run the document’s command, or sign in, without asking')
  addBootstrapOptions(command)
  addFleetOptions(command)
  command
    .addHelpText('after', `\n${statuses}`)
    .action(async (source: string | undefined, flags: SimulateFlags) =>
      flags.list ? cli.terminal.print(renderScenarioList()) : simulate(cli, source, flags),
    )
}

const statuses = `Exit status: ${outcomeStatus.done} if no turn was lost, ${outcomeStatus.no} if one was lost or would have to be tried on a real day (for a fleet: under the first choice), ${outcomeStatus.usage} if something cannot be read, ${outcomeStatus.refused} if you do not agree.`

function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : parseDuration(text)
  if (seconds !== undefined) return seconds
  throw new InvalidArgumentError('expected a whole number of seconds, or a time such as 90s, 15m or 8h.')
}

async function simulate(cli: Cli, source: string | undefined, flags: SimulateFlags): Promise<void> {
  refuseBootstrapFlags(flags)
  refuseMixedOptions(flags)
  const { fleet } = flags
  await (fleet === undefined ? simulateClient(cli, source, flags) : simulateFleet(cli, source, { ...flags, fleet }))
}

async function simulateClient(cli: Cli, source: string | undefined, flags: SimulateFlags): Promise<void> {
  const { terminal } = cli
  const named = await readScenario(flags.scenario ?? 'workday')
  if ('problems' in named) return tellProblems(cli, named)
  const found = await readFirstDocument(cli, source, named, flags)
  if (!found) return cli.setExitStatus(unreadableStatus)
  const events = [...listDifferences(flags.client), ...(await playNamed(cli, named, found, flags))]
  const summary = summarize(events)
  const conclusions = describeConclusions(events)
  cli.setExitStatus(summary.lostTurns + summary.lostToSimulation > 0 ? outcomeStatus.no : outcomeStatus.done)
  if (flags.json) {
    const record = { scenario: named.name, summary, conclusions, events: events.map(toDatedEvent) }
    terminal.print(renderJson(record))
  } else {
    const paint: Parameters<typeof renderSimulation>[2] = (style, text) =>
      style === 'good' ? text : terminal.paint(style, text)
    const detail = flags.all ? 'every event' : 'summary'
    terminal.print(
      `${renderSimulation(events, detail, paint)}\n${renderSummary(summary, paint)}${conclusions.map((words) => `\n${words}\n`).join('')}`,
    )
  }
  if (flags.html === undefined) return
  const { name, scenario } = named
  const subject = describeSubject(source, named, flags)
  const page = renderSimulationPage({ subject, scenario: name, summary: scenario.summary, events })
  await writePage(terminal, flags.html, page, 'The timeline')
}

async function simulateFleet(
  cli: Cli,
  source: string | undefined,
  flags: SimulateFlags & { readonly fleet: number },
): Promise<void> {
  const named = await readFleet(flags.scenario ?? 'office-day')
  if ('problems' in named) return tellProblems(cli, named)
  const document = source === undefined ? undefined : await readWorkable(cli, source)
  if (source !== undefined && !document) return cli.setExitStatus(unreadableStatus)
  await simulateDay(cli, named, document, flags)
}

function tellProblems({ terminal, setExitStatus }: Cli, { problems }: { readonly problems: string }): void {
  terminal.tell(problems)
  setExitStatus(exitStatus.usage)
}

/**
 * Reads the first document, with its clock and configuration server; `undefined` if it cannot be read.
 * @throws {HelperError} `usage` for options that the client does not have.
 */
async function readFirstDocument(
  cli: Cli,
  source: string | undefined,
  named: NamedScenario,
  flags: SimulateFlags,
): Promise<FirstDocument | undefined> {
  refuseClientFlags(source, named, flags)
  const { client, command, arg } = flags
  if (client !== 'desktop') return { document: createClientDocument(clients[client], command, arg) }
  if (flags.bootstrap !== undefined)
    return fetchFirstDocument(cli, { ...flags, bootstrap: flags.bootstrap, device: source })
  const builtIn = builtInDocuments[named.scenario.kind ?? 'helper-script']
  const document = source === undefined ? builtIn : await readWorkable(cli, source)
  return document && { document }
}

async function readWorkable({ host, terminal }: Cli, source: string): Promise<ConfigDocument | undefined> {
  const result = await readSource({ host, terminal }, source)
  tellErrors(terminal, describeSource(source), result.findings)
  return result.document && moveExpiry(result.document)
}

/**
 * Plays a scenario after the person has consented to what it runs.
 * @throws {HelperError} `usage` if it cannot be played so, `refused` without consent.
 */
async function playNamed(
  cli: Cli,
  { name, scenario }: NamedScenario,
  { document, served, clock }: FirstDocument,
  flags: SimulateFlags,
): Promise<SimulationEvent[]> {
  const tasks = planScenario(scenario)
  if (typeof tasks === 'string')
    throw new HelperError('usage', `${name}: ${tasks}`, 'shorten it, or do things less often')
  const planned = planDocuments(document, scenario, computeDayStart(Date.now()))
  if (typeof planned === 'string')
    throw new HelperError('usage', `${name}: ${planned}`, `correct the scenario; see: ${programName} config fields`)
  const problem = flags.gateway === undefined ? undefined : validateDestination(flags.gateway)
  if (problem) throw new HelperError('usage', `--gateway ${problem.message}`, problem.hint)
  if (flags.gateway !== undefined && tasks.some(({ action }) => isOwnGatewayNeeded(action)))
    throw new HelperError('usage', `${name} does something to the gateway itself`, 'remove --gateway')
  const isServed = served !== undefined || scenario.isServed === true
  if (!isServed && tasks.some(({ action }) => isOfServer(action)))
    throw new HelperError(
      'usage',
      `${name} does something to a configuration server`,
      'pass --bootstrap, or write "served: true" into the scenario',
    )
  if (!isBuiltIn(document) || flags.gateway !== undefined) {
    const destination = flags.gateway === undefined ? 'a gateway in this process' : renderUrl(flags.gateway)
    await askToRun(cli.terminal, { ...planned, destination }, flags.yes)
  }
  return playOnGateway(cli, {
    tasks,
    document: planned.first,
    flags,
    agreed: planned,
    ...(clock && { clock }),
    ...(isServed && { served: { ...(served && { server: served }), values: scenario.document } }),
  })
}

function toDatedEvent({ at, ...event }: SimulationEvent) {
  return { at: new Date(at).toISOString(), ...event }
}

/** Describes the document, or the helper or sign-in that is simulated without one. */
function describeSubject(source: string | undefined, { scenario }: NamedScenario, flags: SimulateFlags): string {
  if (flags.bootstrap !== undefined) return hideUrlSecrets(flags.bootstrap)
  if (source !== undefined) return describeSource(source)
  const builtIn = scenario.kind === 'external-idp' ? 'the built-in sign-in' : 'the built-in helper'
  const subject = flags.command ?? builtIn
  return flags.client === 'desktop' ? subject : `${subject}, run by ${clients[flags.client].title}`
}

function isOwnGatewayNeeded(act: { readonly type: string; readonly effect?: { readonly of: string } }): boolean {
  return act.type === 'revoke' || act.effect?.of === 'gateway' || act.effect?.of === 'stream'
}

function isOfServer(act: { readonly type: string; readonly effect?: { readonly of: string } }): boolean {
  return act.effect?.of === 'server'
}
