import { type Command, InvalidArgumentError, Option } from 'commander'
import { toManagedPreferences } from '../../config/render/convert.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { validateReverseDomainName } from '../option-values.ts'
import {
  createReleaseOption,
  createShapeOption,
  describeSource,
  documentArgument,
  readSource,
  type SourceShape,
} from '../read-source.ts'
import { tellFindings, unreadableStatus } from '../show-findings.ts'
import type { ExportContent, ExportFormat, ExportOptions } from './export-format.ts'
import { type ExportName, exportFormats, exportNames, undoNames } from './export-formats.ts'
import { tellNeutralNames } from './vendor-warnings.ts'
import { writeAnswer } from './write-answer.ts'
import { forceOption, renderedHelp, writeRendered } from './write-rendered.ts'

/** Adds `gatepass config export`: a file for a platform's own tools. */
export function addConfigExport(config: Command, cli: Cli): void {
  const [, summary] = documentArgument
  config
    .command('export')
    .description("write a document as a file that a platform's own tools take")
    .argument('[document]', `${summary}; with --undo it may be left out`)
    .addOption(new Option('--to <format>', 'the kind of file, see below').choices(exportNames).makeOptionMandatory())
    .option('--out <file>', 'where to write it, a folder where several files are written (default: standard output)')
    .option(...forceOption)
    .option('--undo', `with ${undoNames.join(', ')}: remove every known setting, and the document’s unknown ones`)
    .option('--identifier <name>', 'reverse domain name of a mobileconfig, such as com.example.ai', parseIdentifier)
    .option('--organization <name>', 'who the mobileconfig says it is from')
    .option('--more-info-url <url>', 'the page that compliance rules send people to', parseWebPage)
    .addOption(createShapeOption())
    .addOption(createReleaseOption())
    .addHelpText('after', `\n${renderFormats()}\n${renderedHelp}`)
    .action(async (source: string | undefined, flags: ExportFlags) => {
      if (flags.undo) return writeUndo(cli, { source, ...flags, render: requireUndo(flags.to) })
      return writeExport(cli, requireSource(source), flags)
    })
}

interface ExportFlags extends ExportOptions {
  readonly to: ExportName
  readonly out?: string
  readonly shape?: SourceShape
  readonly force?: true
  readonly undo?: true
}

/** Renders the formats in two columns, as the help lists options. */
function renderFormats(): string {
  const width = Math.max(...exportNames.map((name) => name.length))
  return ['Formats:', ...exportNames.map((name) => `  ${name.padEnd(width)}  ${exportFormats[name].summary}`)].join(
    '\n',
  )
}

/** @throws {InvalidArgumentError} for anything but a reverse domain name. */
export function parseIdentifier(text: string): string {
  const problem = validateReverseDomainName(text)
  if (problem === undefined) return text
  throw new InvalidArgumentError(`${problem}.`)
}

/** @throws {InvalidArgumentError} for anything but an https URL. */
export function parseWebPage(text: string): string {
  if (URL.parse(text)?.protocol === 'https:') return text
  throw new InvalidArgumentError('expected a URL with https.')
}

function requireUndo(to: ExportName) {
  const { undo }: ExportFormat = exportFormats[to]
  if (typeof undo === 'function') return undo
  const { reason = 'its file is replaced as a whole', hint } = undo
  throw new HelperError('usage', `there is no --undo for ${to}: ${reason}`, hint)
}

interface UndoTask {
  readonly source: string | undefined
  readonly shape?: SourceShape
  readonly render: (names: readonly string[]) => ExportContent
  readonly out?: string
}

/** Writes the file that removes the values of exports: every known key, and the keys that only the document has. */
async function writeUndo(cli: Cli, { source, shape, render, out }: UndoTask): Promise<void> {
  const names = source === undefined ? [] : await readNames(cli, source, shape)
  if (!names) return cli.setExitStatus(unreadableStatus)
  await writeAnswer(cli.terminal, render(names), {
    out,
    file: 'replaced',
    readers: 'as the system creates files',
  })
  tellNeutralNames(cli.terminal)
}

function requireSource(source: string | undefined): string {
  if (source !== undefined) return source
  throw new HelperError('usage', "missing required argument 'document'", `see: ${programName} config export --help`)
}

async function writeExport(cli: Cli, source: string, flags: ExportFlags): Promise<void> {
  const format: ExportFormat = exportFormats[flags.to]
  const written = await writeRendered(cli, { source, ...flags, os: format.os }, (result) =>
    format.render(result, flags),
  )
  if (written && format.renderNext) cli.terminal.tell(`${toOneLine(format.renderNext(flags.out ?? 'FILE'))}\n`)
  if (written) tellNeutralNames(cli.terminal)
}

/** Reads the names that an export of the document sets; `undefined` if it cannot be read, which is reported. */
async function readNames(cli: Cli, source: string, shape: SourceShape | undefined): Promise<string[] | undefined> {
  const result = await readSource(cli, source, shape)
  const exported = toManagedPreferences(result)
  if (exported) return Object.keys(exported.entries)
  tellFindings(cli.terminal, describeSource(source), result.findings)
  return undefined
}
