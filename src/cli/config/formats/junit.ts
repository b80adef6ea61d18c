import type { Finding } from '../../../config/finding.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import type { CheckedDocument } from './checked-document.ts'

/**
 * XML as JUnit writes it, for build servers: a suite for each document with a case for each finding. What decided the
 * status is a failure; a document that has none of that is one passed case.
 */
export function renderJunit(documents: readonly CheckedDocument[]): string {
  const suites = documents.map((document) => ({ document, failures: listFailures(document) }))
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${renderCounts(suites.map(toCounts))}>`,
    ...suites.flatMap((suite) => renderSuite(suite)),
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

interface Suite {
  readonly document: CheckedDocument
  readonly failures: ReadonlySet<Finding>
}

/** Warnings decide where no error does, as under `--strict`. */
function listFailures({ status, findings }: CheckedDocument): ReadonlySet<Finding> {
  if (status === 0) return new Set()
  const isStrict = !findings.some(({ severity }) => severity === 'error')
  return new Set(findings.filter(({ severity }) => severity === 'error' || (isStrict && severity === 'warning')))
}

function renderSuite({ document, failures }: Suite): string[] {
  const { source, findings, conclusion } = document
  const rows = findings.map((row) => renderCase(source, row, failures.has(row)))
  const passed = `<testcase${renderAttributes({ classname: source, name: conclusion })}/>`
  return [
    `  <testsuite${renderAttributes({ name: source })}${renderCounts([toCounts({ document, failures })])}>`,
    ...(rows.length === 0 ? [passed] : rows).map((line) => `    ${line}`),
    '  </testsuite>',
  ]
}

function renderCase(source: string, row: Finding, isFailure: boolean): string {
  const { path, code, severity, message, hint, line, column } = row
  const where = line === undefined ? source : `${source}:${line}:${column ?? 1}`
  const words = [where, path && `${path}:`, message, hint && `(${hint})`].filter(Boolean).join(' ')
  const name = path === '' ? code : `${path} ${code}`
  const content = isFailure
    ? `<failure${renderAttributes({ type: code, message })}>${escapeXml(words)}</failure>`
    : `<system-out>${escapeXml(`${severity}: ${words}`)}</system-out>`
  return `<testcase${renderAttributes({ classname: source, name })}>${content}</testcase>`
}

interface Counts {
  readonly tests: number
  readonly failures: number
}

function toCounts({ document, failures }: Suite): Counts {
  return { tests: Math.max(1, document.findings.length), failures: failures.size }
}

function renderCounts(all: readonly Counts[]): string {
  const sum = (name: keyof Counts) => String(all.reduce((total, counts) => total + counts[name], 0))
  return renderAttributes({ tests: sum('tests'), failures: sum('failures') })
}

function renderAttributes(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('')
}

/** Without control characters and unpaired surrogates, which XML cannot hold. */
function escapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  const plain = toOneLine(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '')
  return plain.replace(/[&<>"]/g, (character) => names[character]!)
}
