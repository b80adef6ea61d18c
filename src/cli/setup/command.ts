import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Finding } from '../../config/finding.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { findOwnProgram } from '../../runtime/host.ts'
import { describeReadFailure, readNamedFile } from '../../runtime/input/named-file.ts'
import { digestNames } from '../../runtime/machine/digest-names.ts'
import { runProcess } from '../../runtime/run-process.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { findKnownClient, knownClients } from '../../vendor/known-clients.ts'
import type { VendorSetting } from '../../vendor/setting.ts'
import { toVendor } from '../../vendor/setting.ts'
import { validateVendorSetting } from '../../vendor/validate-setting.ts'
import { vendor } from '../../vendor.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { tellFindings, toStatus } from '../show-findings.ts'
import { type AnswerName, answerNames, parseAnswers, type SetupAnswers } from './answers.ts'
import { collectSetup } from './collect-setup.ts'
import { answersPath, findFolder, readIfThere, readKept, toBytes } from './folder.ts'
import { type PlannedFolder, planFolder } from './plan-folder.ts'
import { questions } from './questions.ts'
import { renderChanges } from './show-changes.ts'
import { addSetupTry } from './try.ts'
import { compareFolder, endUnfinishedWrite, type FolderChange, writeFolder } from './write-folder.ts'

/** The options besides the answers. */
interface SetupFlags {
  readonly answers?: string
  readonly offline?: true
  readonly ask?: true
  readonly write?: true
  readonly force?: true
  readonly json?: true
  readonly arg?: readonly string[]
}

/** `gatepass setup`: from nothing to a folder with everything that a rollout needs. */
export function addSetup(program: Command, cli: Cli): void {
  const setup = program
    .command('setup')
    .description(
      'ask what a rollout needs to know, and write a folder with everything for it; run again, show what changes',
    )
    .argument('[folder]', 'the folder (default: this one if setup has written it, else ./rollout)')
  for (const { name, summary } of questions) setup.addOption(new Option(`--${name} <text>`, summary))
  setup
    .option('--arg <argument...>', 'one more argument for the helper; may be repeated')
    .option(
      '--answers <file>',
      'read answers from a JSON file whose keys are the names of these options; - for standard input',
    )
    .option('--offline', 'try neither the gateway nor the provider')
    .option('--ask', 'ask again, although the folder has answers')
    .option('--write', 'write what changes in a folder that is there')
    .option('--force', 'with --write: replace files that somebody has changed, too')
    .option('--json', 'print the files as one JSON document, and write nothing')
    .addHelpText('after', afterHelp)
    .action(async (folder: string | undefined, flags: SetupFlags) => runSetup(cli, await findFolder(folder), flags))
  addSetupTry(setup, cli)
}

const afterHelp = `
An answer comes from its option, else from --answers, else from the folder's last run, else from a person, else it is the default.

Exit status: 0 if the folder is as the answers say; 1 if something would change and was not written, a file of somebody was kept, or the document would not work; 2 if answers are missing or wrong; 5 if the folder cannot be written.`

async function runSetup(cli: Cli, directory: string, flags: SetupFlags): Promise<void> {
  if (!flags.json) await endUnfinishedWrite(directory)
  const kept = flags.ask || flags.json ? {} : await readKept(directory)
  const said = await readSaid(cli, flags)
  const answers = await collectSetup(cli, { said, kept, network: flags.offline || flags.json ? 'offline' : 'tried' })
  const planned = await planForClient(cli, answers, flags)
  const status = toStatus(planned.findings)
  if (flags.json) return printFolder(cli, planned, status)
  tellFindings(cli.terminal, 'the document', planned.findings)
  if (status !== 0) {
    cli.setExitStatus(status)
    cli.terminal.tell(`${programName}: nothing was written, because the document would not work\n`)
    return
  }
  await applyFolder(cli, directory, planned, flags)
}

/** The answers of the command line, and behind them those of `--answers`. */
async function readSaid({ host }: Cli, flags: SetupFlags): Promise<SetupAnswers> {
  const given = flags as Readonly<Record<string, string | undefined>> // the options of the questions are texts
  const own = answerNames.flatMap((name) => {
    const value = given[toFlagKey(name)]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { answers: file, arg } = flags
  const read = file === undefined ? {} : parseAnswers(await readAnswersFile(host.streams, file), file)
  return { ...read, ...Object.fromEntries(own), ...(arg && { arg }) }
}

/** As commander names the value of an option: `base-url` is `baseUrl`. */
function toFlagKey(name: AnswerName): string {
  return name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase())
}

const longestAnswersBytes = 256 * 1024

async function readAnswersFile(streams: Cli['host']['streams'], file: string): Promise<string> {
  try {
    if (file === '-') return Buffer.from(await streams.stdin(longestAnswersBytes, () => false)).toString('utf8')
    return (await readNamedFile(file, { longestBytes: longestAnswersBytes })).toString('utf8')
  } catch (cause) {
    const failure = cause as NodeJS.ErrnoException // of the system
    throw new HelperError('usage', toOneLine(`${file} ${describeReadFailure(failure)}`), 'name a file with --answers', {
      cause,
    })
  }
}

/**
 * The folder under the names of the client that people use. Names are decided before anything is loaded that uses one, so other names
 * than those in force are left to a process of their own.
 */
async function planForClient(cli: Cli, answers: SetupAnswers, { json }: SetupFlags): Promise<PlannedFolder> {
  const setting = await resolveClient(answers.client)
  if (setting === undefined || digestNames(toVendor(setting)) === digestNames(vendor)) return planFolder(cli, answers)
  if (json) throw new HelperError('usage', 'the names in force are of another client', 'leave --json out')
  const place = await mkdtemp(join(tmpdir(), 'gatepass-setup-'))
  try {
    const names = join(place, 'vendor.json')
    await writeFile(names, JSON.stringify(setting))
    return await planInProcess(cli, names, answers)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/**
 * The names of the answer: a known client's, or those of a vendor file; `undefined` for the names in force.
 * @throws {HelperError} `usage` for neither, and for a file with mistakes.
 */
async function resolveClient(client = 'in-force'): Promise<VendorSetting | undefined> {
  if (client === 'in-force') return undefined
  const known = findKnownClient(client)
  if (known) return known.setting
  const names = knownClients.map(({ name }) => name).join(', ')
  const hint = `name one of ${names}, or a vendor file: gatepass vendor init --help`
  const text = await readIfThere(resolve(client))
  if (text === undefined) throw new HelperError('usage', toOneLine(`there is no client and no file ${client}`), hint)
  const result = validateVendorSetting(parseObject(Buffer.from(text).toString('utf8')) ?? {})
  if ('setting' in result) return result.setting
  throw new HelperError('usage', toOneLine(`${client} is not a vendor file: ${result.problems.join('; ')}`), hint)
}

/** In milliseconds, longer than any export takes. */
const longestPlanMs = 120_000

async function planInProcess({ host, terminal }: Cli, names: string, answers: SetupAnswers): Promise<PlannedFolder> {
  const own = findOwnProgram(['--vendor', names, 'setup', '--json', '--answers', '-'])
  const outcome = await runProcess({
    command: { program: own.program, args: own.args, argv0: own.argv0 },
    env: host.env,
    input: JSON.stringify({ ...answers, client: 'in-force' }),
    signal: AbortSignal.timeout(longestPlanMs),
  })
  const printed = outcome.ended === 'exited' ? parseObject(Buffer.from(outcome.stdout).toString('utf8')) : undefined
  if (printed) return toPlanned(printed as unknown as PrintedFolder, answers) // of the same program
  if (outcome.ended === 'exited') terminal.tell(outcome.stderr)
  throw new HelperError('usage', 'the folder cannot be made with these answers', 'follow the lines above')
}

interface PrintedFolder {
  readonly findings: readonly Finding[]
  readonly files: readonly {
    readonly path: string
    readonly about: string
    readonly isSecret?: boolean
    readonly isExport?: true
    readonly base64: string
  }[]
}

function toPlanned({ findings, files }: PrintedFolder, answers: SetupAnswers): PlannedFolder {
  const read = files.map(({ base64, ...file }) => ({ ...file, content: Buffer.from(base64, 'base64') }))
  const own = read.map((file) =>
    file.path === answersPath
      ? { ...file, content: file.content.toString('utf8').replace('"in-force"', JSON.stringify(answers.client)) }
      : file,
  )
  return { findings, files: own }
}

function printFolder(cli: Cli, { files, findings }: PlannedFolder, status: 0 | 1): void {
  const listed = files.map(({ content, ...file }) => ({ ...file, base64: toBytes({ content }).toString('base64') }))
  cli.setExitStatus(status)
  cli.terminal.print(`${JSON.stringify({ status, findings, files: listed })}\n`)
}

/** Writes a new folder at once; for one that is there it shows what would change, and writes what it is told to. */
async function applyFolder(cli: Cli, directory: string, { files }: PlannedFolder, flags: SetupFlags): Promise<void> {
  const changes = await compareFolder(directory, files, flags.force ?? false)
  const isNew = (await readIfThere(join(directory, answersPath))) === undefined
  const changing = changes.filter(({ kind }) => kind !== 'same' && kind !== 'kept')
  const kept = changes.filter(({ kind }) => kind === 'kept')
  if (!isNew || kept.length > 0) cli.terminal.print(renderChanges(changes, cli.terminal.paint))
  if (changing.length === 0) {
    cli.terminal.print(`Nothing ${kept.length > 0 ? 'else ' : ''}changes in ${toOneLine(directory)}.\n`)
    return cli.setExitStatus(kept.length > 0 ? 1 : 0)
  }
  if (!isNew && !flags.write && !(await isWanted(cli, changing))) {
    cli.terminal.tell(`${programName}: nothing was written; to write it, pass --write\n`)
    return cli.setExitStatus(1)
  }
  await writeFolder(directory, changes)
  cli.setExitStatus(kept.length > 0 ? 1 : 0)
  cli.terminal.print(renderWritten(directory, changing, isNew))
  if (kept.length > 0)
    cli.terminal.tell(
      `${programName}: warning: ${renderCounted(kept.length, 'file')} that somebody has changed stayed as before: ${kept.map(({ path }) => toOneLine(path)).join(', ')}\n${programName}: hint: compare them, and pass --write --force to replace them\n`,
    )
}

async function isWanted({ terminal }: Cli, changing: readonly FolderChange[]): Promise<boolean> {
  using conversation = terminal.startConversation()
  const answer = await conversation?.ask(`Write ${renderCounted(changing.length, 'file')}? [y/N] `)
  return /^y(es)?$/i.test(answer ?? '')
}

function renderWritten(directory: string, changing: readonly FolderChange[], isNew: boolean): string {
  const shown = toOneLine(directory)
  if (!isNew) return `Wrote ${renderCounted(changing.length, 'change')} in ${shown}.\n`
  const trial = `gatepass setup try ${quoteWord(directory)}`
  return `Wrote ${renderCounted(changing.length, 'file')} in ${shown}: README.md says what each is, registration.md what to register.\nThen try it before anybody has it: ${trial}\n`
}
