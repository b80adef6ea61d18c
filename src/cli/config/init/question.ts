import { HelperError } from '../../../runtime/failure.ts'
import { locateInstalled } from '../../../suite/installed-programs.ts'
import { programName } from '../../../version.ts'
import type { Cli } from '../../cli.ts'
import type { Conversation } from '../../terminal.ts'

/** The person who answers, and the command that asks. */
export interface Interview {
  /** The words of the command after `gatepass`. */
  readonly command: string
  readonly cli: Cli
  /** `undefined` if no person can answer. */
  readonly conversation: Conversation | undefined
}

/** One question about a new document. */
export interface Question {
  /** The flag that answers it. */
  readonly flag: string
  /** The question, without the question mark. */
  readonly words: string
  /** The value of an empty answer, and its description. If absent, an answer is required. */
  readonly fallback?: { readonly value: string; readonly words: string }
  /** The problem of an answer; `undefined` for a valid one. */
  readonly validate?: (answer: string) => Promise<string | undefined> | string | undefined
}

/**
 * Resolves the answer to a question: that of a flag, else that of a person, who is asked again after a wrong one; otherwise, or after an
 * empty answer, the fallback.
 * @throws {HelperError} `usage` that names the flag, if there is neither an answer nor a fallback.
 */
export async function resolveAnswer(interview: Interview, question: Question, given?: string): Promise<string> {
  if (given !== undefined) return given
  const { conversation } = interview
  for (;;) {
    const shown = question.fallback ? ` [${question.fallback.words}]` : ''
    const answer = await conversation?.ask(`${question.words}?${shown} `)
    if (answer === undefined) return question.fallback?.value ?? refuseMissing(interview, question)
    const problem = await validateAnswer(question, answer)
    if (problem === undefined) return answer || (question.fallback?.value ?? '')
    interview.cli.terminal.tell(`  ${problem}\n`)
  }
}

function refuseMissing({ command }: Interview, { flag }: Question): never {
  throw new HelperError('usage', `${flag} is missing`, `pass ${flag}; see: ${programName} ${command} --help`)
}

async function validateAnswer({ fallback, validate }: Question, answer: string): Promise<string | undefined> {
  if (answer === '') return fallback ? undefined : 'an answer is needed'
  return validate?.(answer)
}

/** The questions that both `gatepass config init` and `gatepass setup` ask. */
export const sharedWords = {
  baseUrl: 'Full URL of the gateway',
  apiKeyFile: 'File that holds the API key',
  ttl: 'For how many seconds may the client keep a token',
} as const

/** The option of both for the path of the helper on Linux and macOS. */
export const commandSummary = `where the helper is on macOS and Linux (default: ${locateInstalled('NAME', 'posix')})`

/** The option of both for the address of the gateway. */
export const baseUrlSummary = 'the full URL of the gateway'
