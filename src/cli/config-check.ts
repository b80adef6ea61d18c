import { type Command, InvalidArgumentError, Option } from 'commander'
import { checkDocument, sortFindings } from '../config/check-document.ts'
import { checkHere } from '../config/check-here.ts'
import type { Finding } from '../config/document.ts'
import { type Reader, readers } from '../config/field.ts'
import type { Reading } from '../config/read-document.ts'
import { isRelease } from '../config/release.ts'
import { type OperatingSystem, operatingSystems } from '../config/rule.ts'
import type { Cli } from './cli.ts'
import { findHelperFacts } from './helper-facts.ts'
import { machineFiles } from './machine-files.ts'
import { documentArgument, readSource, type SourceShape, shapeOption } from './read-source.ts'
import { countFindings, renderFindings, statusOf, unreadableStatus } from './show-findings.ts'

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

/** The option that names a client release. */
export function releaseOption(): Option {
  return new Option('--client-version <release>', 'the installed client, such as 1.14271.0').argParser(parseRelease)
}

function parseRelease(text: string): string {
  if (isRelease(text)) return text
  throw new InvalidArgumentError('expected whole numbers with dots between them.')
}

async function check(cli: Cli, source: string, flags: CheckFlags): Promise<void> {
  const reading = await readSource(cli.terminal, source, flags.shape)
  const findings = await findAll(cli, reading, flags)
  const status = reading.document === undefined ? unreadableStatus : statusOf(findings)
  cli.conclude(status)
  if (flags.json) return cli.terminal.print(`${JSON.stringify({ status, document: source, findings }, undefined, 2)}\n`)
  cli.terminal.print(`${renderFindings(findings, cli.terminal.paint)}${conclusion(reading, findings)}\n`)
}

async function findAll(cli: Cli, reading: Reading, flags: CheckFlags): Promise<Finding[]> {
  const os = flags.os ?? thisSystem(cli.host.platform)
  const { clientVersion, reader } = flags
  const helpers = await findHelperFacts(cli, reading.document, os, flags.here ? 'this machine' : 'the document alone')
  const findings = checkDocument(reading, {
    os,
    helpers,
    ...(clientVersion && { clientVersion }),
    ...(reader && { reader }),
  })
  return flags.here ? sortFindings([...findings, ...(await checkHere(reading, os, machineFiles))]) : findings
}

function conclusion(reading: Reading, findings: readonly Finding[]): string {
  if (reading.document === undefined) return 'The document cannot be read.'
  return statusOf(findings) === 0
    ? `This document works: ${countFindings(findings)}.`
    : `This document does not work as it stands: ${countFindings(findings)}.`
}

/** The operating system whose rules hold on this machine; anything that is neither of the other two is taken for Linux. */
export function thisSystem(platform: NodeJS.Platform): OperatingSystem {
  if (platform === 'win32') return 'windows'
  return platform === 'darwin' ? 'macos' : 'linux'
}
