import { chmod } from 'node:fs/promises'
import { isAbsolute, posix, win32 } from 'node:path'
import { type HelperClient, hasRequest, isEndRead } from '../../../contract/client.ts'
import { clients } from '../../../contract/clients.ts'
import { clientDefaults } from '../../../contract/limits.ts'
import { isOfAwsKeys } from '../../../contract/output-format.ts'
import { hasArgument, listArgumentValues } from '../../../helper/options/option-value.ts'
import type { NamedHelper } from '../../../helper/run/prepare-second.ts'
import { validateArguments } from '../../../helper/run/validate-options.ts'
import { HelperError, renderNotice, toProblemError } from '../../../runtime/failure.ts'
import { hasUnquotable } from '../../../runtime/text/quote.ts'
import { locateInstalled } from '../../../suite/installed-programs.ts'
import { programName } from '../../../version.ts'
import { toValidated } from '../../check-with-helper.ts'
import type { Cli } from '../../cli.ts'
import { type OtherClient, renderers } from '../client-renderers.ts'
import { type ClientSetup, quoteCommand, renderWrapper } from '../client-setup.ts'
import { type Destination, writeAnswer } from '../write-answer.ts'
import { askBaseUrl } from './collect-answers.ts'
import { askHelper, collectArguments, validatePath } from './collect-helper.ts'
import { type InitFlags, refuseFlagsOfOtherClients, toArguments } from './flags.ts'
import { type Interview, resolveAnswer } from './question.ts'

/** Writes the configuration of another client than the desktop client, and prints the remaining steps. */
export async function writeClientConfiguration(
  cli: Cli,
  client: OtherClient,
  flags: InitFlags,
  { out, file }: Pick<Destination, 'out' | 'file'>,
): Promise<void> {
  const setup = await collectClientSetup(cli, client, flags)
  const { text, next } = renderers[client](setup)
  const destination = { out, file, readers: 'as the system creates files' } as const
  if (setup.wrapper !== '') await writeWrapper(cli, setup, destination)
  await writeAnswer(cli.terminal, text, destination)
  const steps = [...next, `check it: ${renderCheck(client, setup)}`]
  cli.terminal.tell(steps.map((step) => renderNotice(programName, step)).join(''))
}

/**
 * Collects the settings of a client's configuration, from flags and a person's answers.
 * @throws {HelperError} `usage` for values that are missing, contradictory or not writable.
 */
async function collectClientSetup(cli: Cli, client: OtherClient, flags: InitFlags): Promise<ClientSetup> {
  using conversation = cli.terminal.startConversation()
  const interview = { command: 'config init', cli, conversation }
  const row = clients[client]
  refuseFlagsOfOtherClients(row, flags, cli.helpers.get(flags.helper ?? '')?.options)
  const baseUrl = row.hosts === 'any' ? '' : await askBaseUrl(interview, flags.baseUrl)
  const chosen = await askHelper(interview, flags.helper)
  if (isOfAwsKeys(row.format)) refuseWithoutKeys(cli, chosen, row)
  const installed = await askCommand(interview, chosen.name, flags)
  const chosenArgs = await collectArguments(interview, flags, chosen, baseUrl)
  const intervalSec = Number(flags.ttl ?? row.refresh.intervalSec ?? 0)
  const setup = {
    ...installed,
    baseUrl,
    intervalSec,
    name: flags.name ?? programName,
    timeoutSec: clientDefaults.timeoutSec,
    args: [...chosenArgs, ...chooseClientArguments(row, chosenArgs, { baseUrl, intervalSec })],
    wrapper: row.start === 'path' ? await askWrapper(interview, { client, installed, helper: chosen.name, flags }) : '',
  }
  refuseSetup(setup)
  // A wrong argument is refused here, because no later check covers another client's configuration.
  const os = installed.system === 'windows' ? 'windows' : 'linux'
  const problems = await validateArguments(toValidated(cli, chosen, os), setup.args)
  if (problems.length > 0) throw toProblemError(problems)
  if (client === 'aws') refuseOwnProfile(setup)
  return setup
}

function refuseWithoutKeys({ helpers }: Cli, { name, helper }: NamedHelper, { title }: HelperClient): void {
  if (helper.obtainAwsCredentials) return
  const fitting = [...helpers].filter(([, other]) => other.obtainAwsCredentials).map(([other]) => other)
  throw new HelperError(
    'usage',
    `the format for ${title} holds AWS credentials, and ${name} has none`,
    `pass --helper with one of ${fitting.join(', ')}`,
  )
}

/** Asks for the path of the helper, which also tells the system of the configuration. */
async function askCommand(
  interview: Interview,
  name: string,
  { command, commandWindows }: InitFlags,
): Promise<Pick<ClientSetup, 'command' | 'system'>> {
  if (command !== undefined && commandWindows !== undefined)
    throw new HelperError(
      'usage',
      'a configuration of this client is for one system',
      'pass --command or --command-windows, and run the command once more for the other',
    )
  const usual = locateInstalled(name, 'posix')
  const question = { flag: '--command', words: `Where is ${name}`, fallback: { value: usual, words: usual } }
  const path = commandWindows ?? (await resolveAnswer(interview, question, command))
  const system = commandWindows === undefined ? 'posix' : 'windows'
  const problem = await validatePath(interview, system === 'posix' ? 'command' : 'commandWindows', path)
  if (problem !== undefined) throw new HelperError('usage', `the helper's path: ${problem}`, 'pass the full path')
  return { command: path, system }
}

/** Chooses the arguments that the client needs in addition to those of the helper. */
function chooseClientArguments(
  client: HelperClient,
  own: readonly string[],
  { baseUrl, intervalSec }: Pick<ClientSetup, 'baseUrl' | 'intervalSec'>,
): string[] {
  const { title, format, headers, hosts } = client
  const isSaid = (option: string) => hasArgument(own, option)
  if (isSaid('format'))
    throw new HelperError('usage', `${title} decides the --format of the helper`, 'remove it from --arg')
  if (headers === 'not-taken' && isSaid('header'))
    throw new HelperError('usage', `${title} sends no headers of a helper`, 'remove --header from --arg')
  refuseReservedHeaders(client, own)
  const isRepetitionRefusal = intervalSec === 0 && client.refresh.onZeroInterval === 'after-refusal'
  const ttlSec = isRepetitionRefusal ? repeatedTtlSec : client.refresh.keptFor === 'request' ? 1 : intervalSec
  const waitSec = findFixedWaitSec(client)
  return [
    ...toArguments('format', format),
    ...(hosts === 'limited-by-configuration' ? toArguments('for-host', new URL(baseUrl).host) : []),
    ...(isEndRead(client) || isSaid('client-ttl') || ttlSec === 0 ? [] : toArguments('client-ttl', String(ttlSec))),
    ...(isRepetitionRefusal && !isSaid('suspect-repetition') ? ['--suspect-repetition'] : []),
    ...(waitSec === undefined || isSaid('client-timeout') ? [] : toArguments('client-timeout', String(waitSec))),
  ]
}

/**
 * For a client that keeps its token until a refusal: an expired token costs a repeated request and no turn, so a cached token may expire
 * soon. With the default of `client-ttl`, a second process would not be served a token with a life of an hour.
 */
const repeatedTtlSec = 300

function refuseReservedHeaders({ title, reservedHeaders = [] }: HelperClient, own: readonly string[]): void {
  const names = listArgumentValues(own, 'header').map((text) => text.split(':')[0]!.trim())
  const reserved = names.find((name) => reservedHeaders.includes(name.toLowerCase()))
  if (reserved === undefined) return
  throw new HelperError('usage', `${title} sets the header ${reserved} itself`, 'remove it from --arg')
}

/** Finds the client's fixed time limit, if it is less than the helper's assumption. */
function findFixedWaitSec({ waiting: { timeoutSec, timeoutSetting } }: HelperClient): number | undefined {
  const isShorter = timeoutSec !== undefined && timeoutSec < clientDefaults.timeoutSec
  return timeoutSetting === undefined && isShorter ? timeoutSec : undefined
}

/** Asks where to write the script of a client that passes no arguments: by default next to the helper, under a name of its own. */
function askWrapper(interview: Interview, { client, installed, helper, flags }: WrapperUse): Promise<string> {
  const isWindows = installed.system === 'windows'
  if (isWindows && interview.cli.host.platform !== 'win32')
    throw new HelperError('usage', 'the script is written on Windows', 'run this command on Windows')
  const words = [helper, client, ...(flags.name === undefined ? [] : [flags.name])]
  const usual = (isWindows ? win32 : posix).join(
    installed.command,
    '..',
    `${words.join('-')}${isWindows ? '.cmd' : ''}`,
  )
  return resolveAnswer(
    interview,
    {
      flag: '--wrapper',
      words: 'Where to write the script that passes the arguments on',
      fallback: { value: usual, words: usual },
      validate: (answer) => (isAbsolute(answer) ? undefined : 'expected an absolute path'),
    },
    flags.wrapper,
  )
}

interface WrapperUse {
  readonly client: OtherClient
  readonly installed: Pick<ClientSetup, 'command' | 'system'>
  readonly helper: string
  readonly flags: InitFlags
}

function refuseSetup({ name, command, args, system, wrapper }: ClientSetup): void {
  if (!/^[\w-]+$/.test(name))
    throw new HelperError('usage', '--name has another character than letters, digits, - and _', 'choose another name')
  if (wrapper !== '' && !isAbsolute(wrapper))
    throw new HelperError('usage', '--wrapper is not an absolute path', 'pass the full path of the script')
  if (hasUnquotable([command, ...args, wrapper], system))
    throw new HelperError(
      'usage',
      `a path or an argument has a control character${system === 'windows' ? ', a quote or a percent sign' : ''}`,
      "set that option in the helper's file instead",
    )
}

/** Refuses a helper whose credentials come from the profile that runs it, because it would start itself endlessly. */
function refuseOwnProfile({ name, args }: ClientSetup): void {
  const profile = listArgumentValues(args, 'profile').at(-1) ?? 'default'
  if (profile !== name) return
  throw new HelperError(
    'usage',
    `the helper would take its credentials from the profile ${name}, which would run the helper again`,
    'choose another --name, or name the profile of the person with --arg=--profile=NAME',
  )
}

async function writeWrapper({ terminal }: Cli, setup: ClientSetup, destination: Destination): Promise<void> {
  await writeAnswer(terminal, renderWrapper(setup), { ...destination, out: setup.wrapper, flag: '--wrapper' })
  await chmod(setup.wrapper, 0o755)
}

/** Renders the command that checks the configuration by starting what the client starts. */
function renderCheck(client: OtherClient, { command, args, system, wrapper, baseUrl }: ClientSetup): string {
  const row = clients[client]
  const server = hasRequest(row) ? ['--base-url', baseUrl] : []
  const started = row.start === 'path' ? [wrapper] : [command, ...args]
  const words = ['check-helper', '--client', client, ...server, ...started]
  return quoteCommand({ command: programName, args: words, system })
}
