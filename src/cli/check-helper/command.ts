import { type Command, Option } from 'commander'
import { checkHelper } from '../../client/check/check-helper.ts'
import { type CheckOptions, resolveCheckLimitSec } from '../../client/check/check-options.ts'
import { listRules, type RuleId, ruleIds } from '../../client/check/rules/rules.ts'
import type { ClientName } from '../../contract/clients/client.ts'
import { clientNames, clients } from '../../contract/clients/clients.ts'
import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { parseBaseUrl } from '../document-options.ts'
import { findCommand } from './find-command.ts'
import { addRule, parseLimit, parseSeconds, parseTimeout } from './option-values.ts'
import { renderProgress, renderReport, toRecord } from './report.ts'

interface CheckFlags {
  readonly client: ClientName
  readonly ttl?: number
  readonly timeout?: number
  readonly tokenLife?: number
  readonly baseUrl?: string
  readonly rule?: readonly RuleId[]
  readonly oneAtATime?: true
  readonly limit?: number
  readonly cleanEnv?: true
  readonly json?: true
}

/** `gatepass check-helper`: whether an executable, in any language, keeps the contract. */
export function addCheckHelper(program: Command, cli: Cli): void {
  program
    .enablePositionalOptions()
    .command('check-helper')
    .description('run a credential helper through the contract and say what to fix')
    .argument('<command>', 'the executable, as the configuration names it')
    .argument('[args...]', 'its arguments')
    .passThroughOptions()
    .addOption(
      new Option('--client <name>', 'by whose rules').choices(clientNames).default('desktop' satisfies ClientName),
    )
    .option('--ttl <seconds>', 'how long the client keeps a token (default: of desktop 3600)', parseSeconds)
    .option('--timeout <seconds>', 'how long the client waits (default: of desktop 60)', parseTimeout)
    .option('--token-life <seconds>', 'how long a token lives if it does not say so itself', parseSeconds)
    .option('--base-url <url>', 'the gateway, to which nothing is sent; bazel and git ask for it', parseBaseUrl)
    .addOption(new Option('--rule <id>', 'only this rule; may be repeated').argParser(addRule))
    .option('--one-at-a-time', 'try one condition after another, for slow machines')
    .option('--limit <seconds>', 'how long the whole check may take (default: 120 more than the timeout)', parseLimit)
    .option('--clean-env', 'pass on no more of the environment than a desktop has')
    .option('--json', 'print one JSON document')
    .addHelpText('after', helpText)
    .action(async (command: string, args: readonly string[], flags: CheckFlags) => check(cli, command, args, flags))
}

const helpText = `
The helper is really run, some thirty times, in some of them without a network, and is killed. It gets the environment of this command, with decoys for browsers first on PATH. Sign in first if the helper needs it; where refresh tokens are rotated, a kill can end the session. Where ten runs at once are healthy, the other conditions are tried at once.

Rules: ${ruleIds.join(', ')}.

Exit status: 0 without a failed rule, 1 with one or where the limit was reached before the end, 2 if the command line cannot be used.`

async function check(cli: Cli, command: string, args: readonly string[], flags: CheckFlags): Promise<void> {
  const { terminal, host } = cli
  refuseFlags(flags)
  const isWatched = host.streams.attached() === 'terminal'
  using interrupt = listenForInterrupt()
  const options: CheckOptions = {
    client: flags.client,
    command: await findCommand(command, host.env),
    args,
    env: flags.cleanEnv ? cleanEnvironment(host.env) : host.env,
    platform: host.platform,
    signal: interrupt.signal,
    ...(flags.ttl !== undefined && { ttlSec: flags.ttl }),
    ...(flags.timeout !== undefined && { timeoutSec: flags.timeout }),
    ...(flags.tokenLife !== undefined && { tokenLifeSec: flags.tokenLife }),
    ...(flags.baseUrl !== undefined && { baseUrl: flags.baseUrl }),
    ...(flags.rule && { rules: flags.rule }),
    ...(flags.oneAtATime && { pace: 'one-at-a-time' as const }),
    ...(flags.limit !== undefined && { limitSec: flags.limit }),
    ...(isWatched && { onProgress: (progress) => terminal.showProgress(renderProgress(progress)) }),
  }
  if (isWatched) terminal.tell(`This takes at most ${resolveCheckLimitSec(options)} s.\n`)
  try {
    const report = await checkHelper(options)
    if (isWatched) terminal.showProgress()
    cli.setExitStatus(report.result === 'passed' ? 0 : 1)
    terminal.print(
      flags.json ? `${JSON.stringify(toRecord(report), undefined, 2)}\n` : renderReport(report, terminal.paint),
    )
  } catch (thrown) {
    if (!interrupt.signal.aborted) throw thrown
    cli.setExitStatus(interruptedStatus)
  }
}

/** @throws {HelperError} `usage` for a rule that is not the client's, and for a client that needs a server to ask for. */
function refuseFlags({ client, rule = [], baseUrl }: CheckFlags): void {
  const { request, title } = clients[client]
  const own = listRules(clients[client])
  const other = rule.find((id) => !own.includes(id))
  if (other !== undefined)
    throw new HelperError('usage', `${other} is no rule of ${title}`, `name one of: ${own.join(', ')}`)
  if (request === 'none' || baseUrl !== undefined) return
  throw new HelperError(
    'usage',
    `--base-url is missing: ${title} asks a helper for a server`,
    'pass --base-url with the address of the server that gets the credential',
  )
}

/** The exit status by which shells report a program that SIGINT ended (128 + 2). */
const interruptedStatus = 130

/** The first signal cancels the check, which ends its processes before this one ends. */
function listenForInterrupt(): Disposable & { readonly signal: AbortSignal } {
  const aborter = new AbortController()
  const abort = () => aborter.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, abort)
  return {
    signal: aborter.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, abort)
    },
  }
}

/** Variables that a program has at least when it is started from a desktop. */
const desktopVariables = [
  ...['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TMPDIR', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP', 'TMP', 'PATHEXT'],
]

function cleanEnvironment(env: Environment): Environment {
  return Object.fromEntries(desktopVariables.map((name) => [name, env[name]]))
}
