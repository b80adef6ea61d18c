import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { checkDocument } from '../config/check-document.ts'
import { initDocument } from '../config/init-document.ts'
import { readDocument } from '../config/read-document.ts'
import { renderNested } from '../config/render-shapes.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Cli } from './cli.ts'
import { thisSystem } from './config-check.ts'
import { renderFindings, statusOf } from './show-findings.ts'

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
    .option('--command <path>', 'where the helper lies on macOS and Linux')
    .option('--command-windows <path>', 'where the helper lies on Windows')
    .option('--arg <argument...>', 'an argument for the helper; may be repeated')
    .option('--out <file>', 'where to write it; an existing file is not replaced (default: standard output)')
    .action(async (flags: InitFlags) => init(cli, flags))
}

async function init(cli: Cli, flags: InitFlags): Promise<void> {
  const { terminal } = cli
  const name =
    flags.helper ?? (await require(cli, '--helper', `Which helper (${[...cli.helpers.keys()].join(', ')})? `))
  const helper = cli.helpers.get(name)
  if (!helper)
    throw new HelperError('usage', `there is no helper ${JSON.stringify(name)}`, 'see: gatepass config init --help')
  const baseUrl = flags.baseUrl ?? (await require(cli, '--base-url', 'Full URL of the gateway? '))
  const { commandWindows, arg: args } = flags
  const command = flags.command ?? (commandWindows ? undefined : await askCommand(cli, name))
  const document = initDocument({
    baseUrl,
    signIn: 'never',
    ...(command && { command }),
    ...(commandWindows && { commandWindows }),
    ...(args && { args }),
    ...(helper.longestLifeSec !== undefined && { tokenLifeSec: helper.longestLifeSec }),
  })
  const text = renderNested(document)
  const os = command ? thisSystem(cli.host.platform) : 'windows'
  const findings = checkDocument(readDocument(Buffer.from(text)), { os: os === 'windows' && command ? 'linux' : os })
  terminal.tell(renderFindings(findings, terminal.paint))
  cli.conclude(statusOf(findings))
  if (flags.out === undefined) terminal.print(text)
  else await writeNew(flags.out, text)
}

async function askCommand({ terminal }: Cli, name: string): Promise<string> {
  const usual = `/opt/gatepass/${name}`
  return (await terminal.ask(`Where does ${name} lie on macOS and Linux? [${usual}] `)) || usual
}

async function require({ terminal }: Cli, flag: string, question: string): Promise<string> {
  const answer = await terminal.ask(question)
  if (answer) return answer
  throw new HelperError(
    'usage',
    `${flag} is missing`,
    `pass ${flag}, or run this on a terminal; see: gatepass config init --help`,
  )
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const what = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`
    throw new HelperError('refused', `${path} ${what}`, 'name another file with --out', { cause })
  }
}
