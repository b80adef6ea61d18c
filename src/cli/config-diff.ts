import type { Command } from 'commander'
import { type Difference, diffDocuments } from '../config/diff-documents.ts'
import type { Cli } from './cli.ts'
import { readSource } from './read-source.ts'
import { renderFindings, unreadableStatus } from './show-findings.ts'

/** `gatepass config diff`: what a client would apply differently. */
export function addConfigDiff(config: Command, cli: Cli): void {
  config
    .command('diff')
    .description('say what a client would apply differently, and what asks for consent again')
    .argument('<before>', 'a file or URL')
    .argument('<after>', 'a file or URL')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExit status: 0 without a difference, 1 with one, 2 if a document cannot be read.')
    .action(async (before: string, after: string, { json }: { json?: true }) => diff(cli, [before, after], json))
}

async function diff({ terminal, conclude }: Cli, sources: readonly [string, string], json?: true): Promise<void> {
  const [before, after] = [await readSource(terminal, sources[0]), await readSource(terminal, sources[1])]
  if (!before.document || !after.document) {
    for (const { document, findings } of [before, after]) {
      if (!document) terminal.tell(renderFindings(findings, terminal.paint))
    }
    return conclude(unreadableStatus)
  }
  const differences = diffDocuments(before.document, after.document)
  conclude(differences.length > 0 ? 1 : 0)
  if (json) return terminal.print(`${JSON.stringify(differences.map(toRecord), undefined, 2)}\n`)
  terminal.print(
    differences.map((difference) => renderDifference(difference, terminal.paint)).join('') ||
      'A client applies both alike.\n',
  )
}

function toRecord({ field, before, after, consent }: Difference) {
  return { path: field.path, before, after, consent: consent === 'asked' }
}

function renderDifference({ field, before, after, consent }: Difference, paint: Cli['terminal']['paint']): string {
  const asked = consent === 'asked' ? `  ${paint('caution', 'asks for consent again')}` : ''
  return `${paint('strong', field.path)}${asked}\n  - ${show(before)}\n  + ${show(after)}\n`
}

function show(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value)
}
