import type { Finding, Severity } from '../../../config/finding.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import type { CheckedDocument } from './checked-document.ts'
import { findFile } from './find-file.ts'

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' }

/** Workflow commands of GitHub Actions, which it shows beside the lines; and a line of words for each document. */
export function renderGithub(documents: readonly CheckedDocument[]): string {
  return documents
    .map(({ source, findings, conclusion }) => {
      const annotations = findings.map((row) => `${renderAnnotation(source, row)}\n`)
      return `${annotations.join('')}checked ${toOneLine(source)}: ${conclusion}\n`
    })
    .join('')
}

function renderAnnotation(source: string, { severity, path, code, message, hint, line, column }: Finding): string {
  const file = findFile(source)
  const properties = Object.entries({ file, line, col: column, title: code })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  const subject = path === '' ? '' : `${path}: `
  const words = hint === '' ? `${subject}${message}` : `${subject}${message}\n${hint}`
  return `::${commands[severity]} ${properties.join(',')}::${escapeText(words)}`
}

/** Written so that the runner reads it back as it was: a line break would end the command. */
function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
