import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Finding, type Severity, severities, severityByCode } from '../../../config/finding.ts'
import { version } from '../../../version.ts'
import { programName } from '../../program-name.ts'
import { type CheckedDocument, computeStatus } from './checked-document.ts'
import { findFile } from './find-file.ts'

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }

/** The Static Analysis Results Interchange Format 2.1.0 (OASIS), which code hosts and editors read. */
export function renderSarif(documents: readonly CheckedDocument[]): string {
  const rules = [...new Set(documents.flatMap(({ findings }) => findings.map(({ code }) => code)))].toSorted()
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: programName, version, semanticVersion: version, rules: rules.map(toRule) } },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true, exitCode: computeStatus(documents) }],
        results: documents.flatMap(({ source, findings }) =>
          findings.map((row) => ({ ruleIndex: rules.indexOf(row.code), ...toResult(source, row) })),
        ),
      },
    ],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

/** GitHub requires a full description and a help text, and shows them beside what each result says itself. */
function toRule(code: Finding['code']) {
  const title = severities.find(({ severity }) => severity === severityByCode[code])?.title
  return {
    id: code,
    shortDescription: { text: `${code.replaceAll('-', ' ')}.` },
    fullDescription: { text: `${title}.` },
    help: { text: 'Each result says how to fix it. docs/configuration.md lists every field and every finding.' },
    defaultConfiguration: { level: levels[severityByCode[code]] },
  }
}

function toResult(source: string, { path, code, severity, message, hint, line, column }: Finding) {
  const subject = path === '' ? '' : `${path}: `
  // Code hosts show no result without a line: what is about the whole document is shown at its first.
  const region = { startLine: line ?? 1, ...(column && { startColumn: column }) }
  return {
    ruleId: code,
    level: levels[severity],
    message: { text: [`${subject}${message}.`, hint && `To fix it: ${hint}.`].filter(Boolean).join(' ') },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: toUri(source) }, region },
        ...(path !== '' && { logicalLocations: [{ fullyQualifiedName: path, kind: 'member' }] }),
      },
    ],
  }
}

/** A relative path stays relative, so that a code host finds the file in its own copy. */
function toUri(source: string): string {
  const file = findFile(source)
  if (file === undefined) return source === '-' ? 'stdin' : source
  if (isAbsolute(file)) return pathToFileURL(file).href
  return file.split(/[/\\]/).map(encodeURIComponent).join('/')
}
