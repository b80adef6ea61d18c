import type { Environment } from '../../runtime/environment.ts'
import { hideArgumentSecrets, isCredentialHeader } from '../../runtime/hiding/credential-text.ts'
import { redact } from '../../runtime/hiding/redact.ts'
import { parseObject } from '../../runtime/parse-object.ts'
import { decodeText } from './decode-text.ts'
import type { ProgramRun } from './run-program.ts'

/** In characters: what a person reads on one line of stderr, from its beginning and its end. */
const shownLength = { start: 240, end: 240 } as const

/**
 * What a program said on stderr, on one line, bounded, without secrets: what it printed on stdout, secret arguments and variables, and
 * whatever looks like a credential. Empty where it said nothing.
 */
export function describeWords({ program, outcome, env }: ProgramRun): string {
  if (outcome.ended !== 'exited' && outcome.ended !== 'killed') return ''
  const printed = outcome.ended === 'exited' ? listPrinted(outcome.stdout) : []
  const secrets = [...printed, ...listSecretArguments(program.args), ...listSecretVariables(env)]
  return shorten(toLine(redact(stripEscapes(outcome.stderr), secrets)))
}

/** Sequences that colour a terminal's text (ECMA-48, sections 5.4 and 8.3.89). */
function stripEscapes(text: string): string {
  return text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g, '').replace(/\0/g, '')
}

/** Lines that say something, joined. A line that a progress bar has overwritten is left out. */
function toLine(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.slice(line.lastIndexOf('\r') + 1).trim())
  return lines.filter((line) => line !== '').join(' ')
}

function shorten(text: string): string {
  const { start, end } = shownLength
  return text.length <= start + end ? text : `${text.slice(0, start).trimEnd()} … ${text.slice(-end).trimStart()}`
}

/** Every text of a JSON document; otherwise one word alone, which may be a token of any length, or the words that may be parts of one. */
function listPrinted(stdout: Uint8Array): string[] {
  const text = decodeText(stdout.subarray(0, 64 * 1024)) ?? ''
  const document = parseObject(text)
  if (document !== undefined) return listTexts(document)
  const words = text.split(/[\s"',{}[\]]+/).filter((word) => word !== '')
  return words.length === 1 ? words : words.filter((word) => word.length >= 8 && /\d|[A-Z]/.test(word))
}

/** Shorter ones are ordinary words, such as a type. */
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

/** `/home/`, `/Users/`: variables such as GOOGLE_APPLICATION_CREDENTIALS hold a path. A slash alone also begins one secret of 64 in base64. */
const pathBeginning = /^\/[A-Z]?[a-z]{2,}\//
