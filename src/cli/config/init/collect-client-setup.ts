import { isAbsolute } from 'node:path'
import type { HelperClient } from '../../../contract/clients/client.ts'
import { isEndRead } from '../../../contract/clients/client-traits.ts'
import { clients } from '../../../contract/clients/clients.ts'
import { hasUnquotable } from '../../../contract/clients/quote-words.ts'
import { clientDefaults } from '../../../contract/limits.ts'
import { parseArguments } from '../../../helper/options/arguments.ts'
import { commonOptions } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Cli } from '../../cli.ts'
import type { ClientSetup } from '../clients/client-setup.ts'
import type { OtherClient } from '../clients/renderers.ts'
import { refuseFlagsOfOthers } from './client-flags.ts'
import { askBaseUrl } from './collect-answers.ts'
import { type InitFlags, toArguments } from './flags.ts'
import { chooseHelper, collectArguments, findPathProblem, type NamedHelper } from './helper-script.ts'
import { type Interview, resolveAnswer } from './question.ts'

/**
 * What the configuration of a client is written from: flags, and answers of a person about the rest.
 * @throws {HelperError} `usage` for what is missing, does not go together or cannot be written.
 */
export async function collectClientSetup(cli: Cli, client: OtherClient, flags: InitFlags): Promise<ClientSetup> {
  using conversation = cli.terminal.startConversation()
  const interview = { cli, conversation }
  const row = clients[client]
  refuseFlagsOfOthers(client, row, flags, cli.helpers.get(flags.helper ?? '')?.options)
  const baseUrl = row.hosts === 'any' ? '' : await askBaseUrl(interview, flags.baseUrl)
  const chosen = await chooseHelper(interview, flags.helper)
  if (client === 'aws') refuseWithoutKeys(cli, chosen)
  const place = await choosePlace(interview, chosen.name, flags)
  const own = await collectArguments(interview, flags, chosen, baseUrl)
  const intervalSec = Number(flags.ttl ?? row.refresh.intervalSec ?? 0)
  const setup = {
    ...place,
    ...{ baseUrl, intervalSec, name: flags.name ?? 'gatepass', timeoutSec: clientDefaults.timeoutSec },
    args: [...own, ...chooseClientArguments(row, own, { baseUrl, intervalSec })],
    wrapper: row.start === 'path' ? await chooseWrapper(interview, place.system, flags.wrapper) : '',
  }
  refuseSetup(setup)
  // The check of a document would find a wrong argument; nothing checks another client's configuration later.
  await parseArguments(chosen.name, { ...commonOptions, ...chosen.helper.options }, setup.args)
  if (client === 'aws') refuseOwnProfile(setup)
  return setup
}

/** One system has one configuration: the path of the helper says which. */
async function choosePlace(
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
  const usual = `/opt/gatepass/${name}`
  const question = { flag: '--command', words: `Where is ${name}`, fallback: { value: usual, words: usual } }
  const path = commandWindows ?? (await resolveAnswer(interview, question, command))
  const system = commandWindows === undefined ? 'posix' : 'windows'
  const problem = await findPathProblem(interview, system === 'posix' ? 'command' : 'commandWindows', path)
  if (problem !== undefined) throw new HelperError('usage', `the helper's path: ${problem}`, 'pass the full path')
  return { command: path, system }
}

/** What the client needs of the helper beside what the helper needs. */
function chooseClientArguments(
  client: HelperClient,
  own: readonly string[],
  { baseUrl, intervalSec }: Pick<ClientSetup, 'baseUrl' | 'intervalSec'>,
): string[] {
  const { title, format, headers, hosts } = client
  const isSaid = (option: string) => own.some((arg) => arg === `--${option}` || arg.startsWith(`--${option}=`))
  if (isSaid('format'))
    throw new HelperError('usage', `${title} decides the --format of the helper`, 'leave it out of --arg')
  if (headers === 'not-taken' && isSaid('header'))
    throw new HelperError('usage', `${title} sends no headers of a helper`, 'leave --header out of --arg')
  return [
    ...toArguments('format', format),
    ...(hosts === 'limited-by-configuration' ? toArguments('for-host', new URL(baseUrl).host) : []),
    ...(isEndRead(client) || isSaid('client-ttl') ? [] : toArguments('client-ttl', String(intervalSec))),
  ]
}

function chooseWrapper(interview: Interview, system: ClientSetup['system'], given: string | undefined) {
  if (system === 'windows' && interview.cli.host.platform !== 'win32')
    throw new HelperError('usage', 'the script is written on Windows', 'run this command on Windows')
  return resolveAnswer(
    interview,
    {
      flag: '--wrapper',
      words: 'Where to write the script that passes the arguments on',
      findProblem: (answer) => (isAbsolute(answer) ? undefined : 'expected an absolute path'),
    },
    given,
  )
}

function refuseSetup({ name, command, args, system, wrapper }: ClientSetup): void {
  if (!/^[\w-]+$/.test(name))
    throw new HelperError('usage', '--name has another character than letters, digits, - and _', 'choose another name')
  if (wrapper !== '' && !isAbsolute(wrapper))
    throw new HelperError('usage', '--wrapper is no absolute path', 'pass the full path of the script')
  if (hasUnquotable([command, ...args, wrapper], system))
    throw new HelperError(
      'usage',
      `a path or an argument has a control character${system === 'windows' ? ', a quote or a percent sign' : ''}`,
      "set that option in the helper's file instead",
    )
}

function refuseWithoutKeys({ helpers }: Cli, { name, helper }: NamedHelper): void {
  if (helper.awsCredentials) return
  const fitting = [...helpers].filter(([, other]) => other.awsCredentials).map(([other]) => other)
  throw new HelperError(
    'usage',
    `AWS tools sign with AWS credentials, and ${name} has none`,
    `pass --helper with one of ${fitting.join(', ')}`,
  )
}

/** A helper that took its credentials from the profile which is about to run it would start itself without an end. */
function refuseOwnProfile({ name, args }: ClientSetup): void {
  const profile = args.flatMap((arg, index) =>
    arg === '--profile' ? (args[index + 1] ?? []) : (/^--profile=(.*)$/.exec(arg)?.[1] ?? []),
  )
  if ((profile.at(-1) ?? 'default') !== name) return
  throw new HelperError(
    'usage',
    `the helper would take its credentials from the profile ${name}, which would run the helper again`,
    'choose another --name, or name the profile of the person with --arg=--profile=NAME',
  )
}
