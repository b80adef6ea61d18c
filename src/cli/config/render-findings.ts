// Renders findings in the formats of `--format`; `cli/show-findings.ts` has the text for people.

import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Option } from 'commander'
import { type Finding, type Severity, severities } from '../../config/finding.ts'
import { outcomeStatus, toOneLine } from '../../runtime/failure.ts'
import { escapeXml } from '../../runtime/text/escape.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { programName, version } from '../../version.ts'
import { isUrl } from '../read-source.ts'
import { type CheckedDocument, type CheckedFinding, computeStatus, renderFindings } from '../show-findings.ts'
import type { Terminal } from '../terminal.ts'

/** The texts for the findings of one kind of file. */
export interface FindingsGuide {
  readonly titles: Readonly<Record<Severity, string>>
  /** The word for several files of this kind. */
  readonly files: string
  /** The help that code hosts show beside each finding. */
  readonly help: string
}

const documentsGuide: FindingsGuide = {
  titles: Object.fromEntries(severities.map(({ severity, title }) => [severity, title])) as Record<Severity, string>,
  files: 'documents',
  help: 'Each result says how to fix it. docs/configuration.md lists every field and every finding.',
}

/** The formats of findings, by name. */
export const formatRenderers = {
  text: renderText,
  json: renderReports,
  sarif: renderSarif,
  github: renderGithub,
  junit: renderJunit,
} as const satisfies Record<string, Renderer>

type Renderer = (documents: readonly CheckedDocument[], paint: Terminal['paint'], guide?: FindingsGuide) => string

/** Creates the option of a check for the format. */
export function createFormatOption(): Option {
  return new Option('--format <format>', 'how to print what is found')
    .choices(Object.keys(formatRenderers))
    .default('text')
}

/** Creates the short form of `--format json`. */
export function createJsonOption(): Option {
  return new Option('--json', 'the same as --format json').conflicts('format')
}

/** The format in which findings are printed. */
export type FindingsFormat = keyof typeof formatRenderers

/** Renders findings for a person. Several documents are distinguished by their names, and counted at the end. */
function renderText(
  documents: readonly CheckedDocument[],
  paint: Terminal['paint'],
  { titles, files } = documentsGuide,
): string {
  const [only, ...others] = documents.map((document) => renderDocument(document, paint, titles))
  if (others.length === 0) return only ?? ''
  const titled = documents.map(
    (document) => `${paint('strong', toOneLine(document.source))}\n${renderDocument(document, paint, titles)}\n`,
  )
  const passed = documents.filter(({ status }) => status === outcomeStatus.done).length
  return `${titled.join('')}${passed} of ${documents.length} ${files} passed.\n`
}

function renderDocument(
  { findings, conclusion }: CheckedDocument,
  paint: Terminal['paint'],
  titles: FindingsGuide['titles'],
): string {
  return `${renderFindings(findings, paint, titles)}${conclusion}\n`
}

/** Renders findings for scripts: one object for one document, and an object with a list of them for several. */
function renderReports(documents: readonly CheckedDocument[]): string {
  const reports = documents.map(({ status, source, findings, passed }) => ({
    status,
    document: source,
    findings,
    passed,
  }))
  const answer = reports.length === 1 ? reports[0] : { status: computeStatus(documents), documents: reports }
  return renderJson(answer)
}

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }

/** Renders findings in the Static Analysis Results Interchange Format 2.1.0 (OASIS), which code hosts and editors read. */
function renderSarif(documents: readonly CheckedDocument[], _paint: Terminal['paint'], guide = documentsGuide): string {
  const severityByCode = new Map(documents.flatMap(({ findings }) => findings.map((row) => [row.code, row.severity])))
  const rules = [...severityByCode.keys()].toSorted()
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: programName,
            version,
            semanticVersion: version,
            rules: rules.map((code) => toRule(code, severityByCode.get(code)!, guide)),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true, exitCode: computeStatus(documents) }],
        results: documents.flatMap(({ source, findings }) =>
          findings.map((row) => ({ ruleIndex: rules.indexOf(row.code), ...toResult(source, row) })),
        ),
      },
    ],
  }
  return renderJson(log)
}

/** Returns a rule with the full description and the help text that GitHub requires and shows beside each result. */
function toRule(code: string, severity: Severity, { titles, help }: FindingsGuide) {
  return {
    id: code,
    shortDescription: { text: `${code.replaceAll('-', ' ')}.` },
    fullDescription: { text: `${titles[severity]}.` },
    help: { text: help },
    defaultConfiguration: { level: levels[severity] },
  }
}

function toResult(source: string, { path, code, severity, message, hint, line, column }: Finding<string>) {
  const subject = path === '' ? '' : `${path}: `
  // Code hosts show only results with a line, so a finding about the whole document gets the first line.
  const region = { startLine: line ?? 1, startColumn: column }
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

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' }

/** Renders workflow commands of GitHub Actions, which GitHub shows next to the lines, and a text line for each document. */
function renderGithub(documents: readonly CheckedDocument[]): string {
  return documents
    .map(({ source, findings, conclusion }) => {
      const annotations = findings.map((row) => `${renderAnnotation(source, row)}\n`)
      return `${annotations.join('')}checked ${toOneLine(source)}: ${conclusion}\n`
    })
    .join('')
}

function renderAnnotation(
  source: string,
  { severity, path, code, message, hint, line, column }: Finding<string>,
): string {
  const file = findFile(source)
  const properties = Object.entries({ file, line, col: column, title: code })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  const subject = path === '' ? '' : `${path}: `
  const words = hint === '' ? `${subject}${message}` : `${subject}${message}\n${hint}`
  return `::${commands[severity]} ${properties.join(',')}::${escapeText(words)}`
}

/** Escapes text in the way that the runner reverses, because a line break would end the command. */
function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/**
 * Renders XML in JUnit's format for build servers: a suite for each document, with a case for each finding. A finding that determines the
 * status is a failure; a document without one is a passed case.
 */
function renderJunit(documents: readonly CheckedDocument[]): string {
  const suites = documents.map((document) => ({ document, failures: listFailures(document) }))
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${renderCounts(suites.map(toCounts))}>`,
    ...suites.flatMap((suite) => renderSuite(suite)),
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

interface TestSuite {
  readonly document: CheckedDocument
  readonly failures: ReadonlySet<CheckedFinding>
}

/** Lists the findings that determine the status: errors, otherwise warnings, as with `--strict`. */
function listFailures({ status, findings }: CheckedDocument): ReadonlySet<CheckedFinding> {
  if (status === outcomeStatus.done) return new Set()
  const isStrict = !findings.some(({ severity }) => severity === 'error')
  return new Set(findings.filter(({ severity }) => severity === 'error' || (isStrict && severity === 'warning')))
}

function renderSuite({ document, failures }: TestSuite): string[] {
  const { source, findings } = document
  const rows = [
    ...listPassed(document).map((name) => `<testcase${renderAttributes({ classname: source, name })}/>`),
    ...findings.map((row) => renderCase(source, row, failures.has(row) ? 'failure' : 'system-out')),
  ]
  return [
    `  <testsuite${renderAttributes({ name: source })}${renderCounts([toCounts({ document, failures })])}>`,
    ...rows.map((line) => `    ${line}`),
    '  </testsuite>',
  ]
}

/** Lists the names of passed cases; for a document without cases and findings, its conclusion. */
function listPassed({ findings, conclusion, passed }: CheckedDocument): readonly string[] {
  return passed ?? (findings.length === 0 ? [conclusion] : [])
}

function renderCase(source: string, row: CheckedFinding, element: 'failure' | 'system-out'): string {
  const { path, code, severity, message, hint, line, column } = row
  const where = line === undefined ? source : `${source}:${line}:${column ?? 1}`
  const words = [where, path && `${path}:`, message, hint && `(${hint})`].filter(Boolean).join(' ')
  const name = row.title ?? (path === '' ? code : `${path} ${code}`)
  const content =
    element === 'failure'
      ? `<failure${renderAttributes({ type: code, message })}>${toXml(words)}</failure>`
      : `<system-out>${toXml(`${severity}: ${words}`)}</system-out>`
  return `<testcase${renderAttributes({ classname: source, name })}>${content}</testcase>`
}

interface Counts {
  readonly tests: number
  readonly failures: number
}

function toCounts({ document, failures }: TestSuite): Counts {
  return { tests: listPassed(document).length + document.findings.length, failures: failures.size }
}

function renderCounts(all: readonly Counts[]): string {
  const sum = (name: keyof Counts) => String(all.reduce((total, counts) => total + counts[name], 0))
  return renderAttributes({ tests: sum('tests'), failures: sum('failures') })
}

function renderAttributes(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${toXml(value)}"`)
    .join('')
}

/** Removes control characters and unpaired surrogates, which XML cannot contain. */
function toXml(text: string): string {
  const plain = toOneLine(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '')
  return escapeXml(plain)
}

/** Finds the file of a document; `undefined` for standard input and a URL. */
function findFile(source: string): string | undefined {
  return source === '-' || isUrl(source) ? undefined : source
}
