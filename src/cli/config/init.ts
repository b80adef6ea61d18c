import { type Command, Option } from 'commander'
import type { Finding } from '../../config/finding.ts'
import { readDocument } from '../../config/read/document.ts'
import { createDocument, type InitAnswers } from '../../config/render/create-document.ts'
import { renderNested } from '../../config/render/shapes.ts'
import type { AnyHelper } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { checkReadResult } from '../judge-reading.ts'
import { statusOf, tellFindings } from '../show-findings.ts'
import type { Conversation } from '../terminal.ts'
import { writeAnswer } from './write-answer.ts'

interface InitFlags {
  readonly helper?: string
  readonly baseUrl?: string
  readonly command?: string
  readonly commandWindows?: string
  readonly arg?: readonly string[]
  readonly out?: string
}

/** `gatepass config init`: a valid document for one of the suite's helpers, from flags or from answers. */
export function addConfigInit(config: Command, cli: Cli): void {
  config
    .command('init')
    .description('write a document for one of the helpers; on a terminal it asks for what is missing')
    .addOption(new Option('--helper <name>', 'the helper').choices([...cli.helpers.keys()]))
    .option('--base-url <url>', 'the full URL of the gateway')
    .option('--command <path>', 'where the helper lies on macOS and Linux (default: /opt/gatepass/NAME)')
    .option('--command-windows <path>', 'where the helper lies on Windows')
    .option('--arg <argument...>', 'an argument for the helper; may be repeated')
    .option('--out <file>', 'where to write it; an existing file is not replaced (default: standard output)')
    .addHelpText('after', '\nExit status: 0, or 1 if the document would not work; nothing is written then.')
    .action(async (flags: InitFlags) => init(cli, flags))
}

async function init(cli: Cli, flags: InitFlags): Promise<void> {
  const answers = await collectAnswers(cli, flags)
  const document = renderNested(createDocument(answers))
  const findings = await judge(cli, document, answers)
  const status = statusOf(findings)
  tellFindings(cli.terminal, 'the document', findings)
  cli.setExitStatus(status)
  if (status === 0) await writeAnswer(cli.terminal, document, { out: flags.out, file: 'new' })
}

async function collectAnswers(cli: Cli, flags: InitFlags): Promise<InitAnswers> {
  using conversation = cli.terminal.startConversation()
  const names = [...cli.helpers.keys()].join(', ')
  const name = flags.helper ?? (await demand(conversation, '--helper', `Which helper (${names})? `))
  const { longestLifeSec } = chooseHelper(cli, name)
  const baseUrl = flags.baseUrl ?? (await demand(conversation, '--base-url', 'Full URL of the gateway? '))
  return {
    baseUrl,
    ...(await choosePaths(conversation, name, flags)),
    ...(flags.arg && { args: flags.arg }),
    ...(longestLifeSec !== undefined && { tokenLifeSec: longestLifeSec }),
  }
}

function chooseHelper({ helpers }: Cli, name: string): AnyHelper {
  const helper = helpers.get(name)
  if (helper) return helper
  throw new HelperError('usage', `there is no helper ${JSON.stringify(name)}`, 'see: gatepass config init --help')
}

type Paths = Pick<InitAnswers, 'command' | 'commandWindows'>

/** One path that is given is enough; where none is and nobody answers, the helper lies where it is usually installed. */
async function choosePaths(
  conversation: Conversation | undefined,
  name: string,
  { command, commandWindows }: Paths,
): Promise<Paths> {
  if (command || commandWindows) return { ...(command && { command }), ...(commandWindows && { commandWindows }) }
  const usual = `/opt/gatepass/${name}`
  const posix = await conversation?.ask(`Where does ${name} lie on macOS and Linux? [${usual}] `)
  const windows = await conversation?.ask('And on Windows? [nowhere] ')
  return { command: posix || usual, ...(windows && { commandWindows: windows }) }
}

async function demand(conversation: Conversation | undefined, flag: string, question: string): Promise<string> {
  const answer = await conversation?.ask(question)
  if (answer) return answer
  throw new HelperError('usage', `${flag} is missing`, `pass ${flag}; see: gatepass config init --help`)
}

/** On every system for which there is a path; what is wrong on two is said once. */
async function judge(cli: Cli, document: string, { command, commandWindows }: Paths): Promise<Finding[]> {
  const reading = readDocument(Buffer.from(document))
  const systems = [...(command ? (['linux'] as const) : []), ...(commandWindows ? (['windows'] as const) : [])]
  const found = await Promise.all(systems.map((os) => checkReadResult(cli, reading, { os }, 'the document alone')))
  return [...new Map(found.flat().map((row) => [JSON.stringify(row), row])).values()]
}
