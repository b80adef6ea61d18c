// Folder: `gatepass doctor`, and its file for a support ticket.

import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { isSignIn, toSignInSettings } from '../../client/credentials/sign-in-settings.ts'
import { chooseVerdict, toConsistent } from '../../client/doctor/choose-verdict.ts'
import { credentialParts, hasPassed, type Part, skipParts } from '../../client/examination.ts'
import type { ConfigDocument, GatewayInference } from '../../config/document.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { HelperError, outcomeStatus } from '../../runtime/failure.ts'
import { hideUrlSecrets } from '../../runtime/text/hide-secrets.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { askToRun, renderUrl, validateDestination } from '../ask-to-run.ts'
import type { Cli, ProgramCommand } from '../cli.ts'
import { tellNeutralNames } from '../config/vendor-warnings.ts'
import { addBootstrapOptions, type BootstrapFlags, refuseBootstrapFlags } from '../configuration-server.ts'
import { createShapeOption, documentArgument, readSource, type SourceShape } from '../read-source.ts'
import { unreadableStatus } from '../show-findings.ts'
import { jsonOption } from '../terminal.ts'
import { listAsked } from './diagnose-again.ts'
import type { SignInConsent } from './examine-sign-in.ts'
import { examineDocument, examineSource } from './examine-source.ts'
import { examineVersions } from './examine-versions.ts'
import { renderExamination } from './render-examination.ts'
import { refuseReport, type TicketFlags, writeTicket } from './ticket.ts'

/** `gatepass doctor`: one real run and one real request, with the facts for an administrator. */
export const doctorCommand: ProgramCommand = {
  add: addDoctor,
  examples: {
    doctor: ['gatepass doctor config.json', 'gatepass doctor config.json --yes --report ticket.txt'],
  },
}

function addDoctor(program: Command, cli: Cli): void {
  const [, summary] = documentArgument
  const command = program
    .command('doctor')
    .description('run the helper of a document once, or sign in, send one request, and say what is wrong')
    .argument('[document]', `${summary}; with --bootstrap, that of the device`)
    .addOption(createShapeOption())
    .option('--db <file>', 'the state of a gateway of your own: compare its federation rules with the identity token')
    .option('--report <file>', 'also write a file for a support ticket; an existing one is not replaced')
    .option('--force', 'replace the file of --report')
    .option(...jsonOption)
    .option('--yes', 'run the document’s command, or sign in, and send the token without asking')
  addBootstrapOptions(command)
    .addHelpText('after', `\n${afterHelp}`)
    .action(async (source: string | undefined, flags: DoctorFlags) => runDoctor(cli, source, flags))
}

interface DoctorFlags extends TicketFlags, BootstrapFlags {
  readonly shape?: SourceShape
  readonly json?: true
  readonly yes?: true
  readonly db?: string
}

const afterHelp = `No secret is printed.
Exit status: ${outcomeStatus.done} if a turn succeeds and nothing else is wrong, ${outcomeStatus.no} if not, ${outcomeStatus.usage} if the document cannot be read or nobody could be asked, ${outcomeStatus.refused} if you do not agree.`

async function runDoctor(cli: Cli, source: string | undefined, flags: DoctorFlags): Promise<void> {
  if (flags.db !== undefined && !existsSync(flags.db))
    throw new HelperError('usage', `there is no state ${flags.db}`, 'name the file that the gateway was started with')
  await refuseReport(flags)
  refuseBootstrapFlags(flags)
  const { shown, result, parts: first } = await examineFirst(cli, source, flags)
  const rest = result ? await examineRest(cli, first.at(-1)!, result.document, flags) : []
  const parts = toConsistent([...first, ...rest])
  const status =
    result && result.document === undefined
      ? unreadableStatus
      : hasPassed(parts)
        ? outcomeStatus.done
        : outcomeStatus.no
  cli.setExitStatus(status)
  if (flags.json) cli.terminal.print(renderJson({ status, ...chooseVerdict(parts), document: shown, parts }))
  else cli.terminal.print(renderExamination(parts, { paint: cli.terminal.paint, width: cli.terminal.width() }))
  tellNeutralNames(cli.terminal)
  const examination = renderExamination(parts, { paint: (_style, text) => text })
  await writeTicket(cli, flags, { source: shown, document: result?.document, parts, examination })
}

/** The document to examine, and the parts found while reading it, of which the document's own is the last. */
interface FirstParts {
  readonly shown: string
  /** Absent if no document was served. */
  readonly result?: ReadResult
  readonly parts: readonly Part[]
}

async function examineFirst(cli: Cli, source: string | undefined, flags: DoctorFlags): Promise<FirstParts> {
  const { bootstrap, shape } = flags
  if (bootstrap !== undefined) {
    // Loaded here, because only a served document needs this code.
    const { examineBootstrap } = await import('./examine-bootstrap.ts')
    return examineBootstrap(cli, { ...flags, bootstrap, device: source })
  }
  if (source === undefined)
    throw new HelperError(
      'usage',
      'no document is named',
      'name a document, or a configuration server with --bootstrap',
    )
  const result = await readSource(cli, source, shape)
  const shown = hideUrlSecrets(source)
  return { shown, result, parts: [await examineDocument(cli, result, shown)] }
}

async function examineRest(
  cli: Cli,
  { outcome }: Part,
  document: ConfigDocument | undefined,
  { yes, db }: DoctorFlags,
): Promise<Part[]> {
  const inference = document?.inference
  const { credential } = inference ?? {}
  const named = credentialParts[isSignIn(credential) ? 'sign-in' : 'helper']
  if (outcome === 'bad' || inference?.provider !== 'gateway' || inference.baseUrl === undefined)
    return skipParts(...named)
  const { baseUrl } = inference
  const problem = validateDestination(baseUrl)
  if (problem) {
    const gateway: Part = { part: 'gateway', outcome: 'bad', lines: [`baseUrl ${problem.message}`], hint: problem.hint }
    return [...skipParts(...named.slice(0, -1)), gateway]
  }
  const consent = await askForCredential(cli, { ...inference, baseUrl }, yes)
  const installation = await examineVersions(cli, credential)
  return [...installation, ...(await examineSource(cli, { ...inference, baseUrl }, { db, consent }))]
}

/**
 * Asks for consent to run the helper, or to open a browser.
 * @throws {HelperError} as `askToRun` does; without a terminal a sign-in is skipped instead.
 */
async function askForCredential(
  cli: Cli,
  { credential, baseUrl }: GatewayInference,
  yes: true | undefined,
): Promise<SignInConsent> {
  const { terminal } = cli
  const destination = renderUrl(baseUrl)
  if (credential?.kind === 'helper-script') {
    const asked = await listAsked(cli, credential)
    await askToRun(terminal, { helpers: [credential], asked, destination }, yes)
    return 'agreed'
  }
  if (!isSignIn(credential)) {
    await askToRun(terminal, { destination }, yes)
    return 'agreed'
  }
  const found = toSignInSettings(credential)
  if ('failure' in found || (!yes && !hasPerson(terminal))) return 'nobody asked'
  await askToRun(terminal, { providers: [found], destination }, yes)
  return 'agreed'
}

function hasPerson(terminal: Cli['terminal']): boolean {
  using conversation = terminal.startConversation()
  return conversation !== undefined
}
