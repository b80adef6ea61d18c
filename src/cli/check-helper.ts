// Adds `gatepass check-helper`, which runs any helper against the contract; `client/check` has the check.

import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CheckReport, checkHelper } from '../client/check/check-helper.ts'
import {
  type CheckOptions,
  type CheckProgress,
  computeCheckLimitSec,
  usualCheckSec,
} from '../client/check/check-options.ts'
import { toDesktopEnvironment } from '../client/check/desktop-environment.ts'
import { type RuleOutcome, verdicts } from '../client/check/rules/rule.ts'
import { isRuleId, listRules, type RuleId, type RuleVerdict, ruleIds } from '../client/check/rules/rules.ts'
import { hasRequest } from '../contract/client.ts'
import { type ClientName, clientNames, clients } from '../contract/clients.ts'
import { clientDefaults, limits } from '../contract/limits.ts'
import { exitStatus, HelperError, outcomeStatus, toOneLine } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { findProgramFile } from '../runtime/program/find-program-file.ts'
import { renderCounted } from '../runtime/text/counted.ts'
import { renderJson } from '../runtime/values/json-value.ts'
import type { Cli, ProgramCommand } from './cli.ts'
import { describeMissingServer, serverClients } from './option-values.ts'
import { parseBaseUrl } from './read-source.ts'
import { jsonOption, openCancellation, type Style, type Terminal } from './terminal.ts'

/** `gatepass check-helper`: whether an executable, in any language, fulfils the contract. */
export const checkHelperCommand: ProgramCommand = {
  add: addCheckHelper,
  examples: {
    'check-helper': [
      'gatepass check-helper /opt/acme/helper',
      'gatepass check-helper --client codex --rule headers /opt/acme/helper',
      'gatepass check-helper --ttl 900 /opt/acme/helper',
    ],
  },
}

function addCheckHelper(program: Command, cli: Cli): void {
  program
    .enablePositionalOptions()
    .command('check-helper')
    .description('run a credential helper through the contract and say what to fix')
    .argument('<command>', 'the executable, as the configuration names it')
    .argument('[args...]', 'its arguments')
    .passThroughOptions()
    .addOption(
      new Option('--client <name>', 'the client whose rules apply')
        .choices(clientNames)
        .default('desktop' satisfies ClientName),
    )
    .option(
      '--ttl <seconds>',
      `how long the client keeps a token (default for desktop: ${clientDefaults.ttlSec})`,
      parseSeconds,
    )
    .option(
      '--timeout <seconds>',
      `how long the client waits (default for desktop: ${clientDefaults.timeoutSec})`,
      parseTimeout,
    )
    .option('--token-life <seconds>', 'how long a token lives if it does not say so itself', parseSeconds)
    .option('--base-url <url>', `the gateway, to which nothing is sent; ${serverClients} ask for it`, parseBaseUrl)
    .addOption(new Option('--rule <id>', 'only this rule; may be repeated').argParser(addRule))
    .option('--one-at-a-time', 'try one condition after another, for slow machines')
    .option(
      '--limit <seconds>',
      `how long the whole check may take (default: ${usualCheckSec} more than the timeout)`,
      parseLimit,
    )
    .option('--clean-env', 'pass on no more of the environment than a desktop has, in every run')
    .addOption(new Option('--keep-env <name>', 'a variable that a desktop has too; may be repeated').argParser(addName))
    .option(...jsonOption)
    .addHelpText('after', helpText)
    .action(async (command: string, args: readonly string[], flags: HelperCheckFlags) =>
      check(cli, command, args, flags),
    )
}

interface HelperCheckFlags {
  readonly client: ClientName
  readonly ttl?: number
  readonly timeout?: number
  readonly tokenLife?: number
  readonly baseUrl?: string
  readonly rule?: readonly RuleId[]
  readonly oneAtATime?: true
  readonly limit?: number
  readonly cleanEnv?: true
  readonly keepEnv?: readonly string[]
  readonly json?: true
}

const helpText = `
The helper is really run, some forty times, in some of them without a network, and is killed. It gets the environment of this command, with decoys for browsers first on PATH. Sign in first if the helper needs it; where refresh tokens are rotated, a kill can end the session. If ten runs at once succeed, the other conditions are tried at the same time.

Rules: ${ruleIds.join(', ')}.

Exit status: ${outcomeStatus.done} without a failed rule, ${outcomeStatus.no} with one, ${outcomeStatus.usage} if the command line cannot be used, ${outcomeStatus.late} where the limit was reached before the end and nothing had failed until then.`

/**
 * Locates the path that a shell would start. If the command is not found, it is returned unchanged, and starting it reports the problem.
 */
export async function locateCommand(command: string, host: Pick<Host, 'env' | 'platform'>): Promise<string> {
  if (/^[A-Za-z]:[\\/]|^\\\\|^~|^\/\//.test(command)) return command
  if (/[\\/]/.test(command)) return resolve(command)
  return (await findProgramFile({ name: command }, host))?.file ?? command
}

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (/^[\d.]+$/.test(text) && seconds > 0) return seconds
  throw new InvalidArgumentError('expected a number of seconds above 0.')
}

/** The longest permitted limit in seconds: far more than a check takes, and less than the longest timer of Node. */
const longestLimitSec = 86_400

/** Parses the longest wait that a document may set for a client. */
function parseTimeout(text: string): number {
  const seconds = parseSeconds(text)
  if (seconds <= limits.timeoutSec) return seconds
  throw new InvalidArgumentError(`a client waits ${limits.timeoutSec} s at most.`)
}

/** Adds a rule, for an option that may be repeated. */
function addRule(text: string, earlier: readonly RuleId[] = []): readonly RuleId[] {
  if (isRuleId(text)) return [...earlier, text]
  throw new InvalidArgumentError(`there is no such rule. Rules: ${ruleIds.join(', ')}.`)
}

function parseLimit(text: string): number {
  const seconds = parseSeconds(text)
  if (seconds <= longestLimitSec) return seconds
  throw new InvalidArgumentError('a check takes a day at most.')
}

/** Adds a variable's name, for an option that may be repeated. */
function addName(text: string, earlier: readonly string[] = []): readonly string[] {
  if (text !== '' && !text.includes('=')) return [...earlier, text]
  throw new InvalidArgumentError('expected the name of a variable, without its value.')
}

async function check(cli: Cli, command: string, args: readonly string[], flags: HelperCheckFlags): Promise<void> {
  const { terminal, host } = cli
  refuseFlags(flags)
  const isWatched = host.streams.attached() === 'terminal'
  using interrupt = openCancellation()
  const options: CheckOptions = {
    client: flags.client,
    command: await locateCommand(command, host),
    args,
    env: flags.cleanEnv ? toDesktopEnvironment(host.env, flags.keepEnv) : host.env,
    platform: host.platform,
    signal: interrupt.signal,
    ttlSec: flags.ttl,
    timeoutSec: flags.timeout,
    tokenLifeSec: flags.tokenLife,
    baseUrl: flags.baseUrl,
    rules: flags.rule,
    keepEnv: flags.keepEnv,
    pace: flags.oneAtATime ? 'one-at-a-time' : undefined,
    limitSec: flags.limit,
    onProgress: isWatched ? (progress) => terminal.tellProgress(renderProgress(progress)) : undefined,
  }
  if (isWatched) terminal.tell(`This takes at most ${computeCheckLimitSec(options)} s.\n`)
  try {
    const report = await checkHelper(options)
    if (isWatched) terminal.tellProgress()
    cli.setExitStatus(toExitStatus(report))
    terminal.print(flags.json ? renderJson(toRecord(report)) : renderReport(report, terminal.paint))
  } catch (thrown) {
    if (!interrupt.signal.aborted) throw thrown
    cli.setExitStatus(outcomeStatus.interrupted)
  }
}

/** @throws {HelperError} `usage` for a rule of another client, and for a client that needs a server but has none. */
function refuseFlags({ client, rule = [], baseUrl }: HelperCheckFlags): void {
  const row = clients[client]
  const known = listRules(row)
  const foreign = rule.find((id) => !known.includes(id))
  if (foreign !== undefined)
    throw new HelperError('usage', `${foreign} is not a rule of ${row.title}`, `name one of: ${known.join(', ')}`)
  if (!hasRequest(row) || baseUrl !== undefined) return
  throw new HelperError(
    'usage',
    describeMissingServer(row.title),
    'pass --base-url with the address of the server that gets the credential',
  )
}

/**
 * Renders a verdict per line, failures last, with the hint and a link below each failure. Rules that could not be checked for the same
 * reason share a line.
 */
export function renderReport(report: CheckReport, paint: Terminal['paint']): string {
  const having = (wanted: RuleOutcome) => report.verdicts.filter(({ verdict }) => verdict === wanted)
  const shown = [...having('pass'), ...joinEqual(having('not-applicable')), ...having('warn'), ...having('fail')]
  const width = Math.max(...shown.map(({ rule }) => rule.length))
  const lines = shown.map((row) => renderRow(row, width, paint))
  const title = paint('strong', toOneLine([report.command, ...report.args].join(' ')))
  const set = paint('quiet', `set for its runs: ${report.sets.join(', ')}`)
  const ruleOwner = report.client === 'desktop' ? '' : `by the rules of ${clients[report.client].title}\n`
  return `${title}\n${ruleOwner}${set}\n\n${lines.join('')}\n${renderCount(report)}\n`
}

type VerdictRow = Pick<RuleVerdict, 'verdict' | 'proves' | 'seen' | 'page'> & {
  readonly rule: string
  readonly hint?: string
}

/** Joins rows with equal texts into one with their number; `--json` lists them all. */
function joinEqual(rows: readonly RuleVerdict[]): VerdictRow[] {
  const groups = Map.groupBy(rows, ({ seen }) => seen)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first && group.length > 1 ? [{ ...first, rule: `${group.length} rules` }] : group
  })
}

const marks: Readonly<Record<RuleOutcome, { readonly text: string; readonly style: Style }>> = {
  pass: { text: 'pass', style: 'strong' },
  warn: { text: 'WARN', style: 'caution' },
  fail: { text: 'FAIL', style: 'bad' },
  'not-applicable': { text: 'n/a ', style: 'quiet' },
}

function renderRow(
  { rule, verdict, proves, seen, hint, page }: VerdictRow,
  width: number,
  paint: Terminal['paint'],
): string {
  const { text, style } = marks[verdict]
  const words = `${rule.padEnd(width)}  ${toOneLine(seen)}`
  if (hint === undefined) return `${paint(style, text)}  ${words}\n`
  const indent = ' '.repeat(6)
  const line = paint(style, `${text}  ${words}`)
  return `${line}\n${indent}${paint('quiet', `expected: ${proves}`)}\n${indent}→ ${toOneLine(hint)}\n${indent}${paint('quiet', `see ${page}`)}\n`
}

function renderCount({ verdicts: all, runs, durationMs, isFinished, limitSec }: CheckReport): string {
  const words = { pass: 'passed', warn: 'warned', fail: 'failed', 'not-applicable': 'not applicable' } as const
  const counts = verdicts.map((verdict) => ({ verdict, count: all.filter((row) => row.verdict === verdict).length }))
  const shown = counts.filter(({ count }) => count > 0).map(({ verdict, count }) => `${count} ${words[verdict]}`)
  const rules = `${renderCounted(all.length, 'rule')}: ${shown.join(', ')}.`
  const made = `${renderCounted(runs, 'run')} in ${Math.round(durationMs / 1000)} s.`
  const end = !isFinished ? ` Not finished: the limit is ${limitSec} s.` : ''
  return `${rules} ${made}${end}`
}

/** Returns the report as `--json` prints it. */
function toRecord(report: CheckReport): CheckReport & { readonly status: number } {
  return { status: toExitStatus(report), ...report }
}

/**
 * A failed rule determines the status, even if other rules were not tried. Without a failed rule, an unfinished check has not passed
 * either.
 */
function toExitStatus({ result }: CheckReport): number {
  return { passed: outcomeStatus.done, failed: outcomeStatus.no, unfinished: exitStatus.late }[result]
}

export function renderProgress({ done, steps, waitingFor }: CheckProgress): string {
  const count = `${done} of ${steps} done`
  const [first] = waitingFor
  if (!first) return count
  const runs = waitingFor.length === 1 ? 'a run' : `${waitingFor.length} runs, one`
  return `${count}; ${first.forSec} of at most ${first.atMostSec} s: ${runs} ${first.title}`
}
