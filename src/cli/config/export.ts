import { type Command, InvalidArgumentError, Option } from 'commander'
import { compareDocuments, type Difference } from '../../config/compare-documents.ts'
import { findForeignProvider } from '../../config/read/match-nested.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { toManagedPreferences } from '../../config/render/convert.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import type { Cli } from '../cli.ts'
import {
  createReleaseOption,
  createShapeOption,
  describeSource,
  documentArgument,
  readSource,
  type SourceShape,
} from '../read-source.ts'
import { tellFindings, unreadableStatus } from '../show-findings.ts'
import type { Terminal } from '../terminal.ts'
import type { ExportContent, ExportFormat, ExportOptions } from './export-format.ts'
import { type ExportName, exportFormats, exportNames, undoNames } from './export-formats.ts'
import { tellNeutralNames } from './vendor-warnings.ts'
import { writeAnswer } from './write-answer.ts'
import { forceOption, renderedHelp, writeRendered } from './write-rendered.ts'

/** `gatepass config export`: a file for a platform's own tools. */
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

/** The formats in two columns, as the help lists options. */
function renderFormats(): string {
  const width = Math.max(...exportNames.map((name) => name.length))
  return ['Formats:', ...exportNames.map((name) => `  ${name.padEnd(width)}  ${exportFormats[name].summary}`)].join(
    '\n',
  )
}

/** @throws {InvalidArgumentError} for anything but a reverse domain name. */
export function parseIdentifier(text: string): string {
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)) return text
  throw new InvalidArgumentError('expected letters, digits and hyphens with dots between them.')
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

/** `gatepass config diff`: the differences that a client would apply. */
export function addConfigDiff(config: Command, cli: Cli): void {
  config
    .command('diff')
    .description('say what a client would apply differently, and what asks for consent again')
    .argument('<before>', 'a file, - for standard input, or a URL')
    .argument('<after>', 'the same')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExit status: 0 without a difference, 1 with one, 2 if a document cannot be read, or both are of other providers.',
    )
    .action(async (before: string, after: string, { json }: { json?: true }) =>
      printDiff(cli, [before, after], json ? 'json' : 'words'),
    )
}

interface Side {
  readonly source: string
  readonly result: ReadResult
}

async function printDiff(cli: Cli, sources: readonly [string, string], form: 'json' | 'words'): Promise<void> {
  if (sources.every((source) => source === '-')) {
    throw new HelperError('usage', 'both documents cannot be standard input', 'name a file for one of them')
  }
  const before = { source: sources[0], result: await readSource(cli, sources[0]) }
  const after = { source: sources[1], result: await readSource(cli, sources[1]) }
  const differences = compare(before.result, after.result)
  const status = differences ? Math.min(1, differences.length) : unreadableStatus
  cli.setExitStatus(status)
  if (form === 'json') return cli.terminal.print(renderComparison(status, before, after, differences))
  if (differences) cli.terminal.print(renderDifferences(differences, cli.terminal.paint))
  for (const { source, result } of [before, after]) {
    if (!result.document || findForeignProvider(result))
      tellFindings(cli.terminal, describeSource(source), result.findings)
  }
  if (isBothForeign(before.result, after.result)) {
    const what = 'nothing was compared: both documents name another provider than "gateway"'
    throw new HelperError('usage', what, 'compare them as text, such as with: diff')
  }
}

/** `undefined` if a document cannot be read, or if both are unknown. */
function compare(before: ReadResult, after: ReadResult): Difference[] | undefined {
  if (isBothForeign(before, after)) return undefined
  return before.document && after.document && compareDocuments(before.document, after.document)
}

function isBothForeign(before: ReadResult, after: ReadResult): boolean {
  return findForeignProvider(before) !== undefined && findForeignProvider(after) !== undefined
}

function renderComparison(status: number, before: Side, after: Side, differences: readonly Difference[] = []): string {
  const sides = [before, after].map(({ source, result: { findings } }) => ({ document: source, findings }))
  const rows = differences.map(({ field, before, after, consent }) => ({
    path: field.path,
    before,
    after,
    consent: consent === 'asked',
  }))
  return renderJson({ status, before: sides[0], after: sides[1], differences: rows })
}

function renderDifferences(differences: readonly Difference[], paint: Terminal['paint']): string {
  if (differences.length === 0) return 'A client applies both alike.\n'
  return differences.map((difference) => renderDifference(difference, paint)).join('')
}

function renderDifference({ field, before, after, consent }: Difference, paint: Terminal['paint']): string {
  const asked = consent === 'asked' ? `  ${paint('caution', 'asks for consent again')}` : ''
  return `${paint('strong', toOneLine(field.path))}${asked}\n  - ${renderValue(before)}\n  + ${renderValue(after)}\n`
}

/** Renders a value as JSON on one line; `not set` for an absent one. */
export function renderValue(value: unknown): string {
  return value === undefined ? 'not set' : toOneLine(JSON.stringify(value))
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
  throw new HelperError('usage', "missing required argument 'document'", 'see: gatepass config export --help')
}

async function writeExport(cli: Cli, source: string, flags: ExportFlags): Promise<void> {
  const format: ExportFormat = exportFormats[flags.to]
  const written = await writeRendered(cli, { source, ...flags, os: format.os }, (result) =>
    format.render(result, flags),
  )
  if (written && format.renderNext) cli.terminal.tell(`${toOneLine(format.renderNext(flags.out ?? 'FILE'))}\n`)
  if (written) tellNeutralNames(cli.terminal)
}

/** The names that an export of the document sets; `undefined` if it cannot be read, which is reported. */
async function readNames(cli: Cli, source: string, shape: SourceShape | undefined): Promise<string[] | undefined> {
  const result = await readSource(cli, source, shape)
  const exported = toManagedPreferences(result)
  if (exported) return Object.keys(exported.entries)
  tellFindings(cli.terminal, describeSource(source), result.findings)
  return undefined
}
