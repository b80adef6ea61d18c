import { findProblemsBy, type HeaderRules } from '../headers.ts'
import { limits } from '../limits.ts'
import type { HelperOutput } from '../output.ts'
import { formatFacts, type OutputFormat } from './output-format.ts'

/** What is printed in a format. */
export interface PrintedOutput extends HelperOutput {
  /** `undefined` where it is not known. */
  readonly expiresAt?: Date | undefined
}

/** One format: what it cannot carry, and its text. */
export interface OutputWriter {
  /** Why it cannot be printed, in words that do not repeat it; empty where it can. */
  findProblems(output: PrintedOutput, rules: HeaderRules): string[]
  /** With a final line feed. The caller has made sure that {@link OutputWriter.findProblems} finds nothing. */
  render(output: PrintedOutput): string
}

/** The problems that a token and its headers have in every format that holds a token. It is stricter than a client: visible ASCII. */
export function findTokenProblems(
  { token, headers }: HelperOutput,
  format: OutputFormat,
  rules: HeaderRules,
): string[] {
  const problems = findProblemsBy(rules, Object.entries(headers))
  if (!/^[\x21-\x7e]+$/.test(token)) problems.push('the token is not one word of visible ASCII')
  if (token.length > limits.tokenBytes) problems.push(`the token is longer than ${limits.tokenBytes} bytes`)
  const { name, headers: carriage } = formatFacts[format]
  if (carriage === 'refused' && Object.keys(headers).length > 0) problems.push(`${name} cannot carry headers`)
  return problems
}
