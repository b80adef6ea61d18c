import { type HeaderRules, isCredentialWord, validateHeaderSetBy } from './headers.ts'
import { limits } from './limits.ts'
import type { HelperOutput } from './output.ts'
import { formatFacts, type OutputFormat } from './output-format.ts'

/** One format: the problems of output that it cannot carry, and its text. */
export interface OutputWriter {
  /** Why it cannot be printed, in words that do not repeat it; empty if it can be printed. */
  findProblems(output: HelperOutput, rules: HeaderRules): string[]
  /** With a final line feed. The caller has made sure that {@link OutputWriter.findProblems} finds nothing. */
  render(output: PrintedOutput): string
}

/** The problems that a token and its headers have in every format that holds a token. Stricter than a client: only visible ASCII. */
export function validateToken({ token, headers }: HelperOutput, format: OutputFormat, rules: HeaderRules): string[] {
  const problems = validateHeaderSetBy(rules, Object.entries(headers))
  if (!isCredentialWord(token)) problems.push('the token is not one word of visible ASCII')
  if (token.length > limits.tokenBytes) problems.push(`the token is longer than ${limits.tokenBytes} bytes`)
  const { name, headers: carriage } = formatFacts[format]
  if (carriage === 'refused' && Object.keys(headers).length > 0) problems.push(`${name} cannot carry headers`)
  return problems
}

/** A helper's output as a format prints it, with the times that some formats state. */
interface PrintedOutput extends HelperOutput {
  /** When the token ends, in milliseconds since the epoch like {@link now}; `undefined` if it is not known. */
  readonly expiresAt?: number | undefined
  /** When it is printed. */
  readonly now: number
}

/** A moment of milliseconds since the epoch in RFC 3339 form, rounded down to whole seconds, because the reader uses the token until then. */
export function renderInstant(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`
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

/**
 * One JSON object of texts: every header of a request. Names are distinct, and `Authorization` is ours, because both are refused in
 * the options.
 */
const headersJsonWriter: OutputWriter = {
  findProblems: (output, rules) => validateToken(output, 'headers-json', rules),
  render: (output) => `${JSON.stringify(Object.fromEntries(listSentHeaders(output)))}\n`,
}

/**
 * A successful response of RFC 6749, section 5.1. `expires_in` counts from the moment at which this response is printed, so that a
 * cached token states what is left of its life, rounded down; it is absent where the end is not known.
 */
const accessTokenWriter: OutputWriter = {
  findProblems: (output, rules) => validateToken(output, 'access-token-json', rules),
  render: ({ token, expiresAt, now }) => {
    const lifeSec = expiresAt === undefined ? {} : { expires_in: Math.max(0, Math.floor((expiresAt - now) / 1000)) }
    return `${JSON.stringify({ access_token: token, token_type: 'Bearer', ...lifeSec })}\n`
  },
}

/** The value of `Proxy-Authorization` for the bearer token (RFC 9110, section 11.7.2). */
const proxyAuthorizationWriter: OutputWriter = {
  findProblems: (output, rules) => validateToken(output, 'proxy-authorization', rules),
  render: ({ token }) => `${renderBearer(token)}\n`,
}

/** Every header of a request: the token as a bearer (RFC 6750), then those that came with it. */
export function listSentHeaders({ token, headers }: HelperOutput): [name: string, value: string][] {
  return [['Authorization', renderBearer(token)], ...Object.entries(headers)]
}

function renderBearer(token: string): string {
  return `Bearer ${token}`
}

/**
 * Formats whose clients send no request, and which need nothing but the token, its end and its headers. Most calls print one of
 * them, so the others are loaded on use.
 */
export type PlainFormat = keyof typeof plain

const plain = {
  json: jsonWriter,
  token: tokenWriter,
  headers: headersWriter,
  'headers-json': headersJsonWriter,
  'access-token-json': accessTokenWriter,
  'proxy-authorization': proxyAuthorizationWriter,
} satisfies Partial<Record<OutputFormat, OutputWriter>>

/** The writers of these formats; `undefined` for a format that needs work before it is written. */
export const plainWriters: Readonly<Record<PlainFormat, OutputWriter>> &
  Readonly<Partial<Record<OutputFormat, OutputWriter>>> = plain
