import type { Command } from 'commander'
import { compareDocuments, type Difference } from '../../config/compare-documents.ts'
import { findForeignProvider } from '../../config/read/match-nested.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { HelperError, outcomeStatus, toOneLine } from '../../runtime/failure.ts'
import { ownSystem, quoteForHint } from '../../runtime/text/quote.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import type { Cli } from '../cli.ts'
import { describeSource, isUrl, readSource } from '../read-source.ts'
import { tellFindings, unreadableStatus } from '../show-findings.ts'
import { jsonOption, type Terminal } from '../terminal.ts'

/** Adds `gatepass config diff`: the differences that a client would apply. */
export function addConfigDiff(config: Command, cli: Cli): void {
  config
    .command('diff')
    .description('say what a client would apply differently, and what asks for consent again')
    .argument('<before>', 'a file, - for standard input, or a URL')
    .argument('<after>', 'the document to compare it with')
    .option(...jsonOption)
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done} without a difference, ${outcomeStatus.no} with one, ${outcomeStatus.usage} if a document cannot be read, or both are of other providers.`,
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
  const status = toDifferenceStatus(differences)
  cli.setExitStatus(status)
  if (form === 'json') return cli.terminal.print(renderComparison(status, before, after, differences))
  if (differences) cli.terminal.print(renderDifferences(differences, cli.terminal.paint))
  for (const { source, result } of [before, after]) {
    if (!result.document || findForeignProvider(result))
      tellFindings(cli.terminal, describeSource(source), result.findings)
  }
  if (isBothForeign(before.result, after.result)) {
    const what = 'nothing was compared: both documents name another provider than "gateway"'
    throw new HelperError('usage', what, renderTextHint(sources))
  }
}

/** Compares both documents; `undefined` if one cannot be read, or if both name another provider. */
function compare(before: ReadResult, after: ReadResult): Difference[] | undefined {
  if (isBothForeign(before, after)) return undefined
  return before.document && after.document && compareDocuments(before.document, after.document)
}

function isBothForeign(before: ReadResult, after: ReadResult): boolean {
  return findForeignProvider(before) !== undefined && findForeignProvider(after) !== undefined
}

function toDifferenceStatus(differences: readonly Difference[] | undefined): number {
  if (!differences) return unreadableStatus
  return differences.length > 0 ? outcomeStatus.no : outcomeStatus.done
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

function renderTextHint(sources: readonly string[]): string {
  if (sources.some((source) => source === '-' || isUrl(source))) return 'save both as files, and compare those as text'
  const command = ownSystem === 'windows' ? 'fc' : 'diff'
  return `compare them as text: ${[command, ...sources.map((source) => quoteForHint(source))].join(' ')}`
}
