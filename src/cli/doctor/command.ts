import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { credentialParts, skipParts } from '../../client/doctor/skip-parts.ts'
import { hasPassed, type Part } from '../../client/examination.ts'
import { findSignIn, isSignIn } from '../../client/sign-in/find-sign-in.ts'
import type { GatewayInference } from '../../client/turn/gateway-inference.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { HelperError } from '../../runtime/failure.ts'
import { askToRun, findUrlProblem, renderUrl } from '../ask-to-run.ts'
import type { Cli } from '../cli.ts'
import { tellNeutralNames } from '../config/neutral-names.ts'
import { createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import { readSource, renderSource } from '../read-source.ts'
import { unreadableStatus } from '../show-findings.ts'
import { examineDocument, examineSource } from './examine.ts'
import { renderExamination } from './report.ts'
import type { SignInConsent } from './sign-in/examine-sign-in.ts'
import { refuseReport, type TicketFlags, writeTicket } from './ticket/write.ts'
import { examineVersions } from './versions.ts'

interface DoctorFlags extends TicketFlags {
  readonly shape?: SourceShape
  readonly json?: true
  readonly yes?: true
  readonly db?: string
}

const afterHelp = `No secret is printed.
Exit status: 0 if all is well, 1 if not, 2 if the document cannot be read or nobody could be asked, 5 if you do not agree.`

/** `gatepass doctor`: one real run and one real request, with everything that an administrator needs to know. */
export function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('run the helper of a document once, or sign in, send one request, and say what is wrong')
    .argument(...documentArgument)
    .addOption(createShapeOption())
    .option('--db <file>', 'the state of a gateway of your own: compare its federation rules with the identity token')
    .option('--report <file>', 'also write a file for a support ticket; an existing one is not replaced')
    .option('--force', 'replace the file of --report')
    .option('--json', 'print one JSON document')
    .option('--yes', 'run the document’s command, or sign in, and send the token without asking')
    .addHelpText('after', `\n${afterHelp}`)
    .action(async (source: string, flags: DoctorFlags) => diagnose(cli, source, flags))
}

async function diagnose(cli: Cli, source: string, flags: DoctorFlags): Promise<void> {
  if (flags.db !== undefined && !existsSync(flags.db))
    throw new HelperError('usage', `there is no state ${flags.db}`, 'name the file that the gateway was started with')
  await refuseReport(flags)
  const result = await readSource(cli, source, flags.shape)
  const shown = renderSource(source)
  const document = await examineDocument(cli, result, shown)
  const parts = [document, ...(await examineRest(cli, document, result.document, flags))]
  const status = result.document === undefined ? unreadableStatus : hasPassed(parts) ? 0 : 1
  cli.setExitStatus(status)
  if (flags.json) cli.terminal.print(`${JSON.stringify({ status, document: shown, parts }, undefined, 2)}\n`)
  else cli.terminal.print(renderExamination(parts, cli.terminal.paint))
  tellNeutralNames(cli.terminal)
  const examination = renderExamination(parts, (_style, text) => text)
  await writeTicket(cli, flags, { source: shown, document: result.document, parts, examination })
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
  const problem = findUrlProblem(baseUrl)
  if (problem) {
    const gateway: Part = { part: 'gateway', outcome: 'bad', lines: [`baseUrl ${problem.message}`], hint: problem.hint }
    return [...skipParts(...named.slice(0, -1)), gateway]
  }
  const consent = await askForCredential(cli, { ...inference, baseUrl }, yes)
  const installation = await examineVersions(cli, credential)
  return [...installation, ...(await examineSource(cli, { ...inference, baseUrl }, { db, consent }))]
}

/**
 * Asks whether the helper may be run, or a browser opened.
 * @throws {HelperError} as `askToRun` does; without a terminal a sign-in is left out instead.
 */
async function askForCredential(
  { terminal }: Cli,
  { credential, baseUrl }: GatewayInference,
  yes: true | undefined,
): Promise<SignInConsent> {
  const destination = renderUrl(baseUrl)
  if (!isSignIn(credential)) {
    const helpers = credential?.kind === 'helper-script' ? [credential] : []
    await askToRun(terminal, { helpers, destination }, yes)
    return 'agreed'
  }
  const found = findSignIn(credential)
  if ('failure' in found || (!yes && !hasPerson(terminal))) return 'nobody asked'
  await askToRun(terminal, { providers: [found], destination }, yes)
  return 'agreed'
}

function hasPerson(terminal: Cli['terminal']): boolean {
  using conversation = terminal.startConversation()
  return conversation !== undefined
}
