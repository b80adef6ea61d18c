import { type HeaderRules, validateHeaderSetBy } from '../headers.ts'
import { limits } from '../limits.ts'
import type { HelperOutput } from '../output.ts'
import { formatFacts, type OutputFormat } from './output-format.ts'

/** What is printed in a format. */
export interface PrintedOutput extends HelperOutput {
  /** `undefined` if it is not known. */
  readonly expiresAt?: Date | undefined
}

/** One format: the problems of output that it cannot carry, and its text. */
export interface OutputWriter {
  /** Why it cannot be printed, in words that do not repeat it; empty if it can be printed. */
  findProblems(output: PrintedOutput, rules: HeaderRules): string[]
  /** With a final line feed. The caller has made sure that {@link OutputWriter.findProblems} finds nothing. */
  render(output: PrintedOutput): string
}

/** The problems that a token and its headers have in every format that holds a token. Stricter than a client: only visible ASCII. */
export function validateToken({ token, headers }: HelperOutput, format: OutputFormat, rules: HeaderRules): string[] {
  const problems = validateHeaderSetBy(rules, Object.entries(headers))
  if (!/^[\x21-\x7e]+$/.test(token)) problems.push('the token is not one word of visible ASCII')
  if (token.length > limits.tokenBytes) problems.push(`the token is longer than ${limits.tokenBytes} bytes`)
  const { name, headers: carriage } = formatFacts[format]
  if (carriage === 'refused' && Object.keys(headers).length > 0) problems.push(`${name} cannot carry headers`)
  return problems
}

/** A moment in RFC 3339 form, rounded down to whole seconds, because the reader uses the token until then. */
export function renderInstant(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`
}

/** The document of the client. It has no member for the expiry of a token. */
export const jsonWriter: OutputWriter = {
  findProblems: (output, rules) => validateToken(output, 'json', rules),
  render: ({ token, headers }) =>
    `${JSON.stringify(Object.keys(headers).length > 0 ? { token, headers } : { token })}\n`,
}

/** The bare token on one line. */
const tokenWriter: OutputWriter = {
  findProblems: (output, rules) => [
    ...validateToken(output, 'token', rules),
    ...(output.token.startsWith('{') ? ['a bare token that starts with "{" is read as JSON'] : []),
  ],
  render: ({ token }) => `${token}\n`,
}

/** One header in each line, `Authorization` first, as `curl --header @-` reads them. */
const headersWriter: OutputWriter = {
  findProblems: (output, rules) => validateToken(output, 'headers', rules),
  render: (output) =>
    listSentHeaders(output)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
}

/** Every header of a request: the token as a bearer (RFC 6750), then those that came with it. */
export function listSentHeaders({ token, headers }: HelperOutput): [name: string, value: string][] {
  return [['Authorization', `Bearer ${token}`], ...Object.entries(headers)]
}

/** Formats whose clients send no request. Most calls print one of them, so the others are loaded on use. */
export const plainWriters: Partial<Readonly<Record<OutputFormat, OutputWriter>>> = {
  json: jsonWriter,
  token: tokenWriter,
  headers: headersWriter,
}
