import { type Command, InvalidArgumentError, Option } from 'commander'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { createReleaseOption, createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import type { ExportFormat, ExportOptions } from './exports/format.ts'
import { type ExportName, exportFormats, exportNames, undoNames } from './exports/formats.ts'
import { tellNeutralNames } from './neutral-names.ts'
import { writeUndo } from './undo.ts'
import { forceOption, renderedHelp, writeRendered } from './write-rendered.ts'

interface ExportFlags extends ExportOptions {
  readonly to: ExportName
  readonly out?: string
  readonly shape?: SourceShape
  readonly force?: true
  readonly undo?: true
}

/** `gatepass config export`: a file that a platform's own tools take. */
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
    .addHelpText('after', `\n${listFormats()}\n${renderedHelp}`)
    .action(async (source: string | undefined, flags: ExportFlags) => {
      if (flags.undo) return writeUndo(cli, { source, ...flags, render: requireUndo(flags.to) })
      return exportDocument(cli, requireSource(source), flags)
    })
}

/** The formats in two columns, as the help lists options. */
function listFormats(): string {
  const width = Math.max(...exportNames.map((name) => name.length))
  return ['Formats:', ...exportNames.map((name) => `  ${name.padEnd(width)}  ${exportFormats[name].summary}`)].join(
    '\n',
  )
}

function parseIdentifier(text: string): string {
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)) return text
  throw new InvalidArgumentError('expected letters, digits and hyphens with dots between them.')
}

function parseWebPage(text: string): string {
  if (URL.parse(text)?.protocol === 'https:') return text
  throw new InvalidArgumentError('expected a URL with https.')
}

function requireSource(source: string | undefined): string {
  if (source !== undefined) return source
  throw new HelperError('usage', "missing required argument 'document'", 'see: gatepass config export --help')
}

function requireUndo(to: ExportName) {
  const { undo }: ExportFormat = exportFormats[to]
  if (typeof undo === 'function') return undo
  const { reason = 'its file is replaced as a whole', hint } = undo
  throw new HelperError('usage', `there is no --undo for ${to}: ${reason}`, hint)
}

async function exportDocument(cli: Cli, source: string, flags: ExportFlags): Promise<void> {
  const format: ExportFormat = exportFormats[flags.to]
  const written = await writeRendered(cli, { source, ...flags, os: format.os }, (result) =>
    format.render(result, flags),
  )
  if (written && format.renderNext) cli.terminal.tell(`${toOneLine(format.renderNext(flags.out ?? 'FILE'))}\n`)
  if (written) tellNeutralNames(cli.terminal)
}
