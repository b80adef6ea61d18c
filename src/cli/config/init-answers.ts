import type { InitAnswers } from '../../config/render/create-document.ts'
import type { AnyHelper } from '../../helper/define-helper.ts'
import { listRequired } from '../../helper/options/require.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import type { Conversation } from '../terminal.ts'

/** What may be said on the command line of `gatepass config init`. */
export interface InitFlags {
  readonly helper?: string
  readonly baseUrl?: string
  readonly command?: string
  readonly commandWindows?: string
  readonly arg?: readonly string[]
}

/**
 * What is said by flags, and by a person about the rest.
 * @throws {HelperError} `usage` for what is missing where nobody answers.
 */
export async function collectAnswers(cli: Cli, flags: InitFlags): Promise<InitAnswers> {
  using conversation = cli.terminal.startConversation()
  const names = [...cli.helpers.keys()].join(', ')
  const name = flags.helper ?? (await requireAnswer(conversation, '--helper', `Which helper (${names})? `))
  const helper = chooseHelper(cli, name)
  const { longestLifeSec } = helper
  const baseUrl = flags.baseUrl ?? (await requireAnswer(conversation, '--base-url', 'Full URL of the gateway? '))
  const paths = await choosePaths(conversation, name, flags)
  const args = [...(flags.arg ?? []), ...(await askRequired(conversation, helper, flags.arg ?? []))]
  return {
    baseUrl,
    ...paths,
    ...(args.length > 0 && { args }),
    ...(longestLifeSec !== undefined && { tokenLifeSec: longestLifeSec }),
  }
}

function chooseHelper({ helpers }: Cli, name: string): AnyHelper {
  const helper = helpers.get(name)
  if (helper) return helper
  throw new HelperError('usage', `there is no helper ${JSON.stringify(name)}`, 'see: gatepass config init --help')
}

/** Where the helper is installed. */
type Paths = Pick<InitAnswers, 'command' | 'commandWindows'>

/** One path that is given is enough; where none is and nobody answers, the helper is where it is usually installed. */
async function choosePaths(
  conversation: Conversation | undefined,
  name: string,
  { command, commandWindows }: Paths,
): Promise<Paths> {
  if (command || commandWindows) return { ...(command && { command }), ...(commandWindows && { commandWindows }) }
  const usual = `/opt/gatepass/${name}`
  const posix = await conversation?.ask(`Where is ${name} on macOS and Linux? [${usual}] `)
  const windows = await conversation?.ask('And on Windows? [nowhere] ')
  return { command: posix || usual, ...(windows && { commandWindows: windows }) }
}

/** Arguments for what the helper needs and no argument says; no answer leaves it to the files of each machine. */
async function askRequired(
  conversation: Conversation | undefined,
  { options }: AnyHelper,
  given: readonly string[],
): Promise<string[]> {
  if (!conversation) return []
  const args: string[] = []
  for (const name of listRequired(options)) {
    if (given.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))) continue
    const { value, summary } = options[name]! // listed from that table
    const choices = typeof value === 'string' ? '' : ` (${value.join(', ')})`
    const answer = await conversation.ask(`${name}${choices}: ${summary} [set on each machine] `)
    if (answer) args.push(`--${name}`, answer)
  }
  return args
}

async function requireAnswer(conversation: Conversation | undefined, flag: string, question: string): Promise<string> {
  const answer = await conversation?.ask(question)
  if (answer) return answer
  throw new HelperError('usage', `${flag} is missing`, `pass ${flag}; see: gatepass config init --help`)
}
