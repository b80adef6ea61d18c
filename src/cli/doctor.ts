import type { Command } from 'commander'
import { isWell, type Part } from '../client/doctor/examination.ts'
import type { ConfigDocument } from '../config/document.ts'
import { askToRun, findUrlDanger, renderUrl } from './ask-to-run.ts'
import type { Cli } from './cli.ts'
import { examineDocument, examineSource, skip } from './doctor-examine.ts'
import { renderExamination } from './doctor-report.ts'
import { documentArgument, type SourceShape, shapeOption } from './document-options.ts'
import { readSource } from './read-source.ts'

interface DoctorFlags {
  readonly shape?: SourceShape
  readonly json?: true
  readonly yes?: true
}

/** `gatepass doctor`: one real run and one real request, with everything that an administrator needs to know. */
export function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('run the helper of a document once, send one request, and say what is wrong')
    .argument(...documentArgument)
    .addOption(shapeOption())
    .option('--json', 'print one JSON document')
    .option('--yes', 'run the document’s command and send its token without asking')
    .addHelpText('after', '\nNo secret is printed. Exit status: 0 if all is well, otherwise 1.')
    .action(async (source: string, flags: DoctorFlags) => diagnose(cli, source, flags))
}

async function diagnose(cli: Cli, source: string, flags: DoctorFlags): Promise<void> {
  const reading = await readSource(cli.terminal, source, flags.shape)
  const document = await examineDocument(cli, reading)
  const parts = [document, ...(await examineRest(cli, document, reading.document, flags))]
  const status = isWell(parts) ? 0 : 1
  cli.conclude(status)
  if (flags.json) cli.terminal.print(`${JSON.stringify({ status, document: source, parts }, undefined, 2)}\n`)
  else cli.terminal.print(renderExamination(parts, cli.terminal.paint))
}

async function examineRest(
  cli: Cli,
  { outcome }: Part,
  document: ConfigDocument | undefined,
  { yes }: DoctorFlags,
): Promise<Part[]> {
  const inference = document?.inference
  if (outcome === 'bad' || inference?.provider !== 'gateway' || inference.baseUrl === undefined)
    return skip('helper', 'run', 'token', 'gateway')
  const { credential, baseUrl } = inference
  const danger = findUrlDanger(baseUrl)
  if (danger) {
    const gateway: Part = { part: 'gateway', outcome: 'bad', lines: [`baseUrl ${danger.message}`], hint: danger.hint }
    return [...skip('helper', 'run', 'token'), gateway]
  }
  const helpers = credential?.kind === 'helper-script' ? [credential] : []
  await askToRun(cli.terminal, { helpers, destination: renderUrl(baseUrl) }, yes)
  return examineSource(cli, { ...inference, baseUrl })
}
