import { type Command, Option } from 'commander'
import { sortFindings } from '../../config/check/document.ts'
import { checkMachine } from '../../config/check/machine.ts'
import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { type Reader, readers } from '../../config/field.ts'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/document.ts'
import { findForeignProvider } from '../../config/read/unknown-key.ts'
import { HelperError } from '../../runtime/failure.ts'
import { locateFindings } from '../../runtime/json/position.ts'
import { checkReadResult } from '../check-read-result.ts'
import type { Cli } from '../cli.ts'
import { detectSystem } from '../detect-system.ts'
import { createReleaseOption, createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import { machineFiles } from '../machine-files.ts'
import { readSource, renderSource } from '../read-source.ts'
import { countFindings, toStatus, unreadableStatus } from '../show-findings.ts'
import { type CheckedDocument, computeStatus } from './formats/checked-document.ts'
import { type Format, formatRenderers } from './formats/render.ts'
import { tellNeutralNames } from './neutral-names.ts'

interface CheckFlags {
  readonly clientVersion?: string
  readonly reader?: Reader
  readonly os?: OperatingSystem
  readonly shape?: SourceShape
  readonly here?: true
  readonly strict?: true
  readonly format: Format
  readonly json?: true
}

/** `gatepass config check`: what will not work, and how to fix it. */
export function addConfigCheck(config: Command, cli: Cli): void {
  const [, summary] = documentArgument
  config
    .command('check')
    .description('say what will not work in a document, and how to fix it')
    .argument('<document...>', `${summary}; several may be given`)
    .addOption(createReleaseOption())
    .addOption(new Option('--reader <reader>', 'the program that reads the document').choices(readers))
    .addOption(
      new Option('--os <system>', "whose helper path is checked (default: this machine's)").choices(operatingSystems),
    )
    .addOption(createShapeOption())
    .option('--here', 'also check this machine: does the helper exist, can it be run, is it safe')
    .option('--strict', 'end with 1 on warnings too')
    .addOption(
      new Option('--format <format>', 'how to print what is found')
        .choices(Object.keys(formatRenderers))
        .default('text'),
    )
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      '\nExit status: 0 without errors, 1 with errors, 2 if a document cannot be read; of several documents, the worst.',
    )
    .action(async (sources: readonly string[], flags: CheckFlags) => check(cli, sources, flags))
}

async function check(cli: Cli, sources: readonly string[], flags: CheckFlags): Promise<void> {
  if (sources.filter((source) => source === '-').length > 1) {
    throw new HelperError('usage', 'only one document can be standard input', 'name files for the others')
  }
  const documents: CheckedDocument[] = []
  for (const source of sources) documents.push(await checkSource(cli, source, flags))
  cli.setExitStatus(computeStatus(documents))
  const format = flags.json ? 'json' : flags.format
  cli.terminal.print(formatRenderers[format](documents, cli.terminal.paint))
  if (flags.here) tellNeutralNames(cli.terminal)
}

async function checkSource(cli: Cli, source: string, flags: CheckFlags): Promise<CheckedDocument> {
  const result = await readSource(cli, source, flags.shape)
  const findings = await collectFindings(cli, result, flags)
  const failing = flags.strict && findings.some(({ severity }) => severity === 'warning') ? 1 : toStatus(findings)
  const status = result.document === undefined ? unreadableStatus : failing
  return { source: renderSource(source), status, findings, conclusion: renderConclusion(result, findings, status) }
}

async function collectFindings(cli: Cli, result: ReadResult, flags: CheckFlags): Promise<Finding[]> {
  const { os = detectSystem(cli.host.platform), clientVersion, reader } = flags
  const options = { os, ...(clientVersion && { clientVersion }), ...(reader && { reader }) }
  if (!flags.here) return checkReadResult(cli, result, options, 'the document alone')
  const findings = await checkReadResult(cli, result, options, 'this machine')
  const ofMachine = locateFindings(await checkMachine(result, os, machineFiles), result.positions)
  return sortFindings([...findings, ...ofMachine])
}

function renderConclusion(result: ReadResult, findings: readonly Finding[], status: CheckedDocument['status']): string {
  const count = countFindings(findings)
  if (result.document === undefined) return 'The document cannot be read.'
  if (findForeignProvider(result)) return `Nothing was checked, because the document names another provider: ${count}.`
  if (toStatus(findings) === 1) return `This document does not work as it stands: ${count}.`
  if (status === 1) return `This document has warnings, which --strict does not accept: ${count}.`
  if (findings.some(({ code }) => code === 'not-activated')) return `This document turns nothing on: ${count}.`
  return `This document works: ${count}.`
}
