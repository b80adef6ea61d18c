import { once } from 'node:events'
import { type Command, Option } from 'commander'
import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import { HelperError, outcomeStatus, renderHint, toOneLine } from '../../runtime/failure.ts'
import { endByInterrupt } from '../../runtime/host.ts'
import { describeReadFailure, readNamedFile } from '../../runtime/named-file.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import type { Cli, ProgramCommand } from '../cli.ts'
import { addText } from '../option-values.ts'
import { tellFindings, toStatus } from '../show-findings.ts'
import { openInterrupt } from '../terminal.ts'
import {
  type AnswerName,
  answerNames,
  isNone,
  parseAnswers,
  renderAnswers,
  type SetupAnswers,
  splitList,
} from './answers.ts'
import { withOwnAuthority } from './authority.ts'
import { type ApplyFlags, applyFolder, toDecisions } from './changes/apply-folder.ts'
import { readOwnTexts } from './changes/compare-folder.ts'
import { endUnfinishedWrite } from './changes/write-folder.ts'
import { collectSetup } from './collect-setup.ts'
import {
  answersPath,
  documentPath,
  isWrittenFolder,
  type OwnTexts,
  readKept,
  refuseReadOnly,
  resolveFolder,
  toKept,
  windowsDocumentPath,
} from './folder.ts'
import { chooseIdentifier, type PlannedFolder } from './plan-folder.ts'
import { planForClient, renderFolder } from './plan-for-client.ts'
import { questions } from './questions.ts'
import { addSetupTry } from './try-setup.ts'
import { BegunAnswers } from './unfinished-answers.ts'

/** `gatepass setup`: creates a folder with everything that a rollout needs. */
export const setupCommand: ProgramCommand = {
  add: addSetup,
  examples: {
    setup: [
      'gatepass setup',
      'gatepass setup rollout --offline --base-url https://gateway.example.com \\\n  --issuer https://id.example.com --client-id gatepass',
      'gatepass setup rollout --offline --ttl 600 --write',
    ],
    'setup try': ['gatepass setup try rollout', 'gatepass setup try rollout --yes'],
  },
}

function addSetup(program: Command, cli: Cli): void {
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
    .addOption(
      new Option(
        '--keep <file>',
        'leave a file that somebody has changed to them from now on; may be repeated',
      ).argParser(addText),
    )
    .addOption(
      new Option(
        '--take <file>',
        'give a file that somebody has changed the new text, and keep theirs beside it; may be repeated',
      ).argParser(addText),
    )
    .option('--json', 'print the files as one JSON document, and write nothing')
    .addHelpText('after', afterHelp)
    .action(async (folder: string | undefined, flags: SetupFlags) =>
      runUntilInterrupt(cli, await resolveFolder(folder), flags),
    )
  addSetupTry(setup, cli)
}

/** The options besides the answers. */
interface SetupFlags extends ApplyFlags {
  readonly answers?: string
  readonly offline?: true
  readonly ask?: true
  readonly json?: true
  readonly arg?: readonly string[]
}

const afterHelp = `
An answer comes from its option, else from --answers, else from a run that was cut off, else from the folder's last run, else from a person, else it is the default.

Exit status: ${outcomeStatus.done} if the folder is as the answers say; ${outcomeStatus.no} if something would change and was not written, a file was changed by hand and neither --keep nor --take names it, the folder is not complete, or the document would not work; ${outcomeStatus.usage} if answers are missing or wrong; ${outcomeStatus.refused} if the folder cannot be written.`

/** Runs until Ctrl-C; the answers so far are kept for the next run. */
async function runUntilInterrupt(cli: Cli, directory: string, flags: SetupFlags): Promise<void> {
  const begun = new BegunAnswers(directory)
  const outcome = await runWithInterrupt(runSetup(cli, directory, begun, flags))
  if (outcome !== 'interrupted') return
  cli.terminal.tell(begun.renderInterrupted(renderRepeatedOptions(flags)))
  await cli.terminal.flush()
  endByInterrupt()
}

async function runWithInterrupt(run: Promise<void>): Promise<'interrupted' | undefined> {
  using interrupt = openInterrupt()
  const pressed = once(interrupt.signal, 'abort').then(() => 'interrupted' as const)
  return (await Promise.race([run, pressed])) ?? undefined
}

/** Returns the options without which the next run would behave differently. */
function renderRepeatedOptions({ offline }: SetupFlags): string {
  return offline ? ' --offline' : ''
}

async function runSetup(cli: Cli, directory: string, begun: BegunAnswers, flags: SetupFlags): Promise<void> {
  if (!flags.json) await prepareFolder(directory, flags)
  const { answers, assumed } = await collectSetup(cli, {
    said: await readSaid(cli, flags),
    begun: flags.ask ? {} : await begun.read(),
    kept: flags.ask ? {} : await readKept(directory),
    network: flags.offline || flags.json ? 'offline' : 'tried',
    remember: async (all) => {
      if (!flags.json) cli.terminal.tell((await begun.write(all)) ?? '')
    },
    createEndFailure: () => begun.createEndFailure(renderRepeatedOptions(flags)),
  })
  const ownTexts = await readOwnTexts(directory, answers, toDecisions(directory, flags))
  const planned = withAnswers(await planForClient(cli, answers, ownTexts), toKept(answers, directory))
  const status = toStatus(planned.findings)
  cli.setExitStatus(status)
  if (flags.json) return cli.terminal.print(renderFolder(planned, status))
  tellFindings(cli.terminal, 'the document', planned.findings)
  if (status !== outcomeStatus.done) return tellUnusable(cli, directory, ownTexts)
  const outcome = await applyFolder(cli, directory, planned, flags)
  cli.terminal.print(renderAssumed(assumed, answers))
  if (outcome === 'applied') await begun.remove()
}

/** A folder that is only compared may be read-only, as in a pipeline. */
async function prepareFolder(directory: string, { write }: SetupFlags): Promise<void> {
  if (write || !(await isWrittenFolder(directory))) await refuseReadOnly(directory)
  await endUnfinishedWrite(directory)
}

/** Reads the answers of the command line, then those of `--answers`. */
async function readSaid({ host }: Cli, flags: SetupFlags): Promise<SetupAnswers> {
  const given = flags as Readonly<Record<string, string | undefined>> // all options of questions are texts
  const entries = answerNames.flatMap((name) => {
    const value = given[toFlagKey(name)]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { answers: file, arg } = flags
  const read = file === undefined ? {} : parseAnswers(await readAnswersFile(host.streams, file), file)
  return { ...read, ...Object.fromEntries(entries), ...(arg && { arg }) }
}

/** If the folder was planned in a process of its own, the names in force are those of the client. */
function withAnswers(planned: PlannedFolder, answers: SetupAnswers): PlannedFolder {
  const content = renderAnswers(withOwnAuthority(answers, planned.files))
  const files = planned.files.map((file) => (file.path === answersPath ? { ...file, content } : file))
  return { ...planned, files }
}

function tellUnusable({ terminal }: Cli, directory: string, own: OwnTexts): void {
  terminal.tell(`${programName}: nothing was written, because the document would not work\n`)
  const documents = [documentPath, windowsDocumentPath].filter((path) => own.has(path))
  if (documents.length === 0) return
  const back = `${programName} setup ${quoteForHint(directory)} --write${documents.map((path) => ` --take ${path}`).join('')}`
  terminal.tell(
    renderHint(
      programName,
      `correct ${documents.join(' and ')}, which somebody has changed; to get the text of setup back: ${back}`,
    ),
  )
}

/** Returns commander's key of an option: `baseUrl` for `base-url`. */
function toFlagKey(name: AnswerName): string {
  return name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase())
}

const longestAnswersBytes = 256 * 1024

async function readAnswersFile(streams: Cli['host']['streams'], file: string): Promise<string> {
  try {
    if (file === '-') return Buffer.from(await streams.stdin(longestAnswersBytes, () => false)).toString('utf8')
    return (await readNamedFile(file, { longestBytes: longestAnswersBytes })).toString('utf8')
  } catch (cause) {
    const failure = cause as NodeJS.ErrnoException // a system error
    throw new HelperError('usage', toOneLine(`${file} ${describeReadFailure(failure)}`), 'name a file with --answers', {
      cause,
    })
  }
}

/**
 * Renders the answers that nobody has given and that determine who may pass, how people sign in, or a permanent name; one a line, with the
 * option.
 */
function renderAssumed(assumed: readonly AnswerName[], answers: SetupAnswers): string {
  const lines = assumed.flatMap((name) => {
    const meaning = describers[name]?.(answers)
    return meaning === undefined ? [] : [[`--${name} ${answers[name] ?? chooseIdentifier(answers) ?? ''}`, meaning]]
  })
  if (lines.length === 0) return ''
  const width = Math.max(...lines.map(([option]) => option!.length))
  const shown = lines.map(([option, meaning]) => `  ${option!.padEnd(width)}  ${meaning}\n`)
  return `Nobody has chosen these; to change one, pass its option:\n${shown.join('')}`
}

/** The effect of a default answer; `undefined` without an important one. */
const describers: Readonly<Partial<Record<AnswerName, (answers: SetupAnswers) => string | undefined>>> = {
  scopes: (answers) => {
    const { type, why } = detectProviderFamily(answers).gatewayToken
    return isNone(answers.scopes) && type === 'access_token'
      ? `the ID token is sent; with this provider: ${why}`
      : undefined
  },
  'sso-start-url': () => 'no AWS profile is handed out: people have their own',
  allow: ({ allow, issuer }) =>
    issuer === undefined
      ? 'the AWS account whose people may pass the gateway'
      : `${allow === 'everyone' ? 'everyone to whom the provider gives a token for this audience' : 'these people'} may pass the gateway`,
  identifier: (answers) =>
    splitList(answers.systems).includes('macos') && chooseIdentifier(answers) !== undefined
      ? 'the configuration profile of macOS: another of this name replaces it'
      : undefined,
}
