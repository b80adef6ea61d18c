import type { Environment } from '../../runtime/run-process.ts'
import { hideArgumentSecrets, isCredentialHeader } from '../../runtime/text/credential-text.ts'
import { decodeText } from '../../runtime/text/decode-text.ts'
import { redact } from '../../runtime/text/redact.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import type { ProgramRun } from './run-program.ts'

/**
 * Renders a program's stderr on one line of bounded length. Texts of its stdout, secret arguments and variables, and everything
 * that looks like a credential are left out. Empty if the program wrote nothing to stderr.
 */
export function describeWords({ program, outcome, env }: ProgramRun): string {
  if (outcome.ended !== 'exited' && outcome.ended !== 'killed') return ''
  const printed = outcome.ended === 'exited' ? listPrinted(outcome.stdout) : []
  const secrets = [...printed, ...listSecretArguments(program.args), ...listSecretVariables(env)]
  return cut(toLine(redact(stripEscapes(outcome.stderr), secrets)))
}

/**
 * Lists the texts of a program's stdout that may be secret: every string of a JSON document; otherwise a single word, which may be a token
 * of any length, or the words that may be parts of a token.
 */
function listPrinted(stdout: Uint8Array): string[] {
  const text = decodeText(stdout.subarray(0, 64 * 1024)) ?? ''
  const document = parseObject(text)
  if (document !== undefined) return listTexts(document)
  const words = text.split(/[\s"',{}[\]]+/).filter((word) => word !== '')
  return words.length === 1 ? words : words.filter((word) => word.length >= 8 && /\d|[A-Z]/.test(word))
}

/** Lists the long strings of a JSON value. Shorter ones are ordinary words, such as a type. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 6 && value !== 'Bearer' ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

function listSecretArguments(args: readonly string[]): string[] {
  const shown = hideArgumentSecrets(args)
  return args.filter((arg, at) => arg !== shown[at]).map((arg) => arg.replace(/^--[\w-]+=/, ''))
}

function listSecretVariables(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    value.length >= 6 && !pathBeginning.test(value) && isCredentialHeader(name.replaceAll('_', '-'), value)
      ? [value]
      : [],
  )
}

/** `/home/`, `/Users/`: variables such as GOOGLE_APPLICATION_CREDENTIALS hold a path. A slash alone would not do: one base64 secret in 64 begins with it. */
const pathBeginning = /^\/[A-Z]?[a-z]{2,}\//

/** Removes sequences that colour a terminal's text (ECMA-48, sections 5.4 and 8.3.89). */
function stripEscapes(text: string): string {
  return text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g, '').replace(/\0/g, '')
}

/** Joins the lines that are not empty. A line that a progress bar has overwritten is left out. */
function toLine(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.slice(line.lastIndexOf('\r') + 1).trim())
  return lines.filter((line) => line !== '').join(' ')
}

function cut(text: string): string {
  const { start, end } = shownLength
  return text.length <= start + end ? text : `${text.slice(0, start).trimEnd()} … ${text.slice(-end).trimStart()}`
}

/** In characters: how much of the beginning and the end of stderr is shown. Our decision. */
const shownLength = { start: 240, end: 240 } as const
