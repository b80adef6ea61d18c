import { type Command, Option } from 'commander'
import { sortFindings } from '../../config/check/document.ts'
import { checkMachine } from '../../config/check/machine.ts'
import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { type Reader, readers } from '../../config/field.ts'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/document.ts'
import { findForeignProvider } from '../../config/read/unknown-key.ts'
import { checkReadResult } from '../check-read-result.ts'
import type { Cli } from '../cli.ts'
import { detectSystem } from '../detect-system.ts'
import { createReleaseOption, createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import { machineFiles } from '../machine-files.ts'
import { readSource } from '../read-source.ts'
import { countFindings, renderFindings, toStatus, unreadableStatus } from '../show-findings.ts'

interface CheckFlags {
  readonly clientVersion?: string
  readonly reader?: Reader
  readonly os?: OperatingSystem
  readonly shape?: SourceShape
  readonly here?: true
  readonly json?: true
}

/** `gatepass config check`: what will not work, and how to fix it. */
export function addConfigCheck(config: Command, cli: Cli): void {
  config
    .command('check')
    .description('say what will not work in a document, and how to fix it')
    .argument(...documentArgument)
    .addOption(createReleaseOption())
    .addOption(new Option('--reader <reader>', 'the program that reads the document').choices(readers))
    .addOption(
      new Option('--os <system>', "whose helper path is checked (default: this machine's)").choices(operatingSystems),
    )
    .addOption(createShapeOption())
    .option('--here', 'also check this machine: does the helper exist, can it be run, is it safe')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExit status: 0 without errors, 1 with errors, 2 if the document cannot be read.')
    .action(async (source: string, flags: CheckFlags) => check(cli, source, flags))
}

async function check(cli: Cli, source: string, flags: CheckFlags): Promise<void> {
  const result = await readSource(cli, source, flags.shape)
  const findings = await collectFindings(cli, result, flags)
  const status = result.document === undefined ? unreadableStatus : toStatus(findings)
  cli.setExitStatus(status)
  if (flags.json) return cli.terminal.print(`${JSON.stringify({ status, document: source, findings }, undefined, 2)}\n`)
  cli.terminal.print(`${renderFindings(findings, cli.terminal.paint)}${renderConclusion(result, findings)}\n`)
}

async function collectFindings(cli: Cli, result: ReadResult, flags: CheckFlags): Promise<Finding[]> {
  const { os = detectSystem(cli.host.platform), clientVersion, reader } = flags
  const options = { os, ...(clientVersion && { clientVersion }), ...(reader && { reader }) }
  if (!flags.here) return checkReadResult(cli, result, options, 'the document alone')
  const findings = await checkReadResult(cli, result, options, 'this machine')
  return sortFindings([...findings, ...(await checkMachine(result, os, machineFiles))])
}

function renderConclusion(result: ReadResult, findings: readonly Finding[]): string {
  const count = countFindings(findings)
  if (result.document === undefined) return 'The document cannot be read.'
  if (findForeignProvider(result)) return `Nothing was checked, because the document names another provider: ${count}.`
  if (toStatus(findings) === 1) return `This document does not work as it stands: ${count}.`
  if (findings.some(({ code }) => code === 'not-activated')) return `This document turns nothing on: ${count}.`
  return `This document works: ${count}.`
}
