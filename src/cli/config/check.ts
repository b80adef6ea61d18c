import { type Command, Option } from 'commander'
import { sortFindings } from '../../config/check/document.ts'
import { checkMachine } from '../../config/check/machine.ts'
import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { type Reader, readers } from '../../config/field.ts'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/document.ts'
import type { Cli } from '../cli.ts'
import { documentArgument, releaseOption, type SourceShape, shapeOption } from '../document-options.ts'
import { checkReadResult } from '../judge-reading.ts'
import { machineFiles } from '../machine-files.ts'
import { readSource } from '../read-source.ts'
import { countFindings, renderFindings, statusOf, unreadableStatus } from '../show-findings.ts'
import { thisSystem } from '../this-system.ts'

interface CheckFlags {
  readonly clientVersion?: string
  readonly reader?: Reader
  readonly os?: OperatingSystem
  readonly shape?: SourceShape
  readonly here?: true
  readonly json?: true
}

/** `gatepass config check`: what will not work, and how to mend it. */
export function addConfigCheck(config: Command, cli: Cli): void {
  config
    .command('check')
    .description('say what will not work in a document, and how to mend it')
    .argument(...documentArgument)
    .addOption(releaseOption())
    .addOption(new Option('--reader <reader>', 'the program that reads the document').choices(readers))
    .addOption(
      new Option('--os <system>', "whose helper path is judged (default: this machine's)").choices(operatingSystems),
    )
    .addOption(shapeOption())
    .option('--here', 'also look at this machine: is the helper there, executable and safe')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExit status: 0 without errors, 1 with errors, 2 if the document cannot be read.')
    .action(async (source: string, flags: CheckFlags) => check(cli, source, flags))
}

async function check(cli: Cli, source: string, flags: CheckFlags): Promise<void> {
  const reading = await readSource(cli, source, flags.shape)
  const findings = await findAll(cli, reading, flags)
  const status = reading.document === undefined ? unreadableStatus : statusOf(findings)
  cli.setExitStatus(status)
  if (flags.json) return cli.terminal.print(`${JSON.stringify({ status, document: source, findings }, undefined, 2)}\n`)
  cli.terminal.print(`${renderFindings(findings, cli.terminal.paint)}${conclusion(reading, findings)}\n`)
}

async function findAll(cli: Cli, reading: ReadResult, flags: CheckFlags): Promise<Finding[]> {
  const { os = thisSystem(cli.host.platform), clientVersion, reader } = flags
  const options = { os, ...(clientVersion && { clientVersion }), ...(reader && { reader }) }
  if (!flags.here) return checkReadResult(cli, reading, options, 'the document alone')
  const findings = await checkReadResult(cli, reading, options, 'this machine')
  return sortFindings([...findings, ...(await checkMachine(reading, os, machineFiles))])
}

function conclusion(reading: ReadResult, findings: readonly Finding[]): string {
  const count = countFindings(findings)
  if (reading.document === undefined) return 'The document cannot be read.'
  if (statusOf(findings) === 1) return `This document does not work as it stands: ${count}.`
  if (findings.some(({ code }) => code === 'not-activated')) return `This document turns nothing on: ${count}.`
  return `This document works: ${count}.`
}
