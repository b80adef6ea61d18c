import { type HeaderRules, isCredentialWord, validateHeaderSetBy } from './headers.ts'
import { limits } from './limits.ts'
import type { HelperOutput } from './output.ts'

/** Renders the output of one format. */
export interface OutputWriter {
  /** The problems of an output in this format alone, in words that do not repeat it. */
  validateFormat?(output: HelperOutput): string[]
  /** Ends with a line feed. {@link toRenderedOutput} calls it for an output without a problem. */
  render(output: PrintedOutput): string
}

/** A helper's output for printing, with the times that some formats state. */
interface PrintedOutput extends HelperOutput {
  /** The expiry of the token, in milliseconds since the epoch like {@link now}; `undefined` if unknown. */
  readonly expiresAt?: number | undefined
  /** The time of printing. */
  readonly now: number
}

/** The document of the desktop client. It has no member for the expiry of a token. */
export const jsonWriter: OutputWriter = {
  render: ({ token, headers }) =>
    `${JSON.stringify(Object.keys(headers).length > 0 ? { token, headers } : { token })}\n`,
}

/** How long before their expiry the AWS tools renew credentials at the earliest, in seconds (botocore, `_advisory_refresh_timeout`). */
const awsRenewalSec = 900

/** The formats whose clients ask for a server. */
export const serverFormats = {
  bazel: { name: "an answer of Bazel's credential helpers", headers: 'carried', renewedBeforeSec: 0, actions: ['get'] },
  git: {
    name: "an answer of Git's credential helpers",
    headers: 'refused',
    renewedBeforeSec: 0,
    actions: ['get', 'store', 'erase'],
  },
} as const satisfies Readonly<Record<string, FormatFacts>>

/**
 * Every format in which a helper prints. What prepares a format without a writer is loaded on use (`src/helper/run/answer-in-format.ts`),
 * because most calls print one of the others. Its client's side is in `src/client/launch/client-formats.ts`.
 */
const formats = {
  json: { name: 'the JSON document', headers: 'carried', writer: jsonWriter },
  token: {
    name: 'a bare token',
    headers: 'refused',
    writer: {
      validateFormat: ({ token }) =>
        token.startsWith('{') ? ['a bare token that starts with "{" is read as JSON'] : [],
      render: ({ token }) => `${token}\n`,
    },
  },
  // One header in each line, `Authorization` first, as `curl --header @-` reads them.
  headers: {
    name: 'a list of headers',
    headers: 'carried',
    writer: {
      render: (output) =>
        listSentHeaders(output)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join(''),
    },
  },
  // Names are distinct, and `Authorization` is ours, because both are refused in the options.
  'headers-json': {
    name: 'a JSON object of headers',
    headers: 'carried',
    writer: { render: (output) => `${JSON.stringify(Object.fromEntries(listSentHeaders(output)))}\n` },
  },
  'access-token-json': {
    name: 'an access token response',
    headers: 'refused',
    // Hermes runs the helper again a minute before the stated expiry (`agent/command_token_source.py`).
    renewedBeforeSec: 60,
    writer: { render: renderAccessToken },
  },
  // The value of `Proxy-Authorization` for the bearer token (RFC 9110, section 11.7.2).
  'proxy-authorization': {
    name: 'the value of one header',
    headers: 'refused',
    writer: { render: ({ token }) => `${renderBearer(token)}\n` },
  },
  'exec-credential': { name: 'an ExecCredential', headers: 'refused', renewedBeforeSec: 0 },
  'credential-process': {
    name: 'a credential_process document',
    headers: 'left out',
    renewedBeforeSec: awsRenewalSec,
  },
  'sts-credentials': {
    name: 'the answer of AWS STS',
    headers: 'left out',
    renewedBeforeSec: awsRenewalSec, // it is not verified whether its clients read the expiry
  },
  ...serverFormats,
} as const satisfies Readonly<Record<string, FormatFacts>>

/** The name of a format, which is a value of a helper's `--format`. */
export type OutputFormat = keyof typeof formats

/** A format whose row has no writer. */
export type LoadedFormat = {
  [Name in OutputFormat]: (typeof formats)[Name] extends { readonly writer: OutputWriter } ? never : Name
}[OutputFormat]

/** The facts of every format, also of those whose writer is loaded on use. */
export const formatFacts: Readonly<Record<OutputFormat, FormatFacts>> = formats

/** The names of all formats. The cast states that `Object.keys` returns only own keys. */
export const outputFormats = Object.keys(formats) as readonly OutputFormat[]

/** Returns whether a client of some format appends this word as the action. */
export function isAction(word: string): boolean {
  return Object.values(formatFacts).some(({ actions }) => actions?.includes(word))
}

/** Returns whether a format contains the keys of an AWS identity instead of a token. */
export function isOfAwsKeys(format: OutputFormat): boolean {
  return formatFacts[format].headers === 'left out'
}

/** Returns whether the writer of a format is loaded on use. */
export function isLoaded(format: OutputFormat): format is LoadedFormat {
  return formatFacts[format].writer === undefined
}

/** The content of a format, and the input that its clients pass to a helper. */
interface FormatFacts {
  /** The format as the subject of a message. */
  readonly name: string
  /** `refused`: without the headers a request would fail for no visible reason. `left out`: they belong to requests of another kind. */
  readonly headers: 'carried' | 'refused' | 'left out'
  /** For a client that reads the expiry, whatever its ttl: how many seconds earlier it runs the helper again. Absent for other clients. */
  readonly renewedBeforeSec?: number
  /** The words that the client may append to the arguments. Such a client sends a request on stdin. */
  readonly actions?: readonly string[]
  /** Absent for a format that needs more than the token, its expiry and its headers. */
  readonly writer?: OutputWriter
}

/** The settings of an output. A memo keeps them, so that a call that is answered from it prints what every other call prints. */
export interface OutputSettings {
  readonly format: OutputFormat
  readonly rules: HeaderRules
}

/** The text of a valid output, or the problems of another one, in words that do not repeat it. */
type RenderedOutput = { readonly text: string } | { readonly problems: readonly string[] }

/**
 * Renders an output, unless it has a problem.
 * @param writer The format's own writer, unless that is loaded on use.
 */
export function toRenderedOutput(
  output: PrintedOutput,
  { format, rules }: OutputSettings,
  writer: OutputWriter = formatFacts[format].writer!,
): RenderedOutput {
  const problems = validateOutput(output, { format, writer, rules })
  return problems.length > 0 ? { problems } : { text: writer.render(output) }
}

/** Validates an output. Stricter than a client: a token is visible ASCII only. AWS keys are a document of our own. */
function validateOutput(
  output: HelperOutput,
  { format, writer, rules }: OutputSettings & { readonly writer: OutputWriter },
): string[] {
  if (isOfAwsKeys(format)) return []
  const { token, headers } = output
  const { name, headers: carriage } = formatFacts[format]
  const problems = validateHeaderSetBy(rules, Object.entries(headers))
  if (!isCredentialWord(token)) problems.push('the token is not one word of visible ASCII')
  if (token.length > limits.tokenBytes) problems.push(`the token is longer than ${limits.tokenBytes} bytes`)
  if (carriage === 'refused' && Object.keys(headers).length > 0) problems.push(`${name} cannot carry headers`)
  return [...problems, ...(writer.validateFormat?.(output) ?? [])]
}

/** Renders a time in RFC 3339 form, rounded down to whole seconds, because the reader uses the token until then. */
export function renderInstant(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`
}

/** Lists every header of a request: the token as a bearer token (RFC 6750), then the output's headers. */
export function listSentHeaders({ token, headers }: HelperOutput): [name: string, value: string][] {
  return [['Authorization', renderBearer(token)], ...Object.entries(headers)]
}

function renderBearer(token: string): string {
  return `Bearer ${token}`
}

/**
 * Renders a successful response of RFC 6749, section 5.1. `expires_in` counts from the moment at which this response is printed, so that a
 * cached token states what is left of its life, rounded down; it is absent where the end is not known.
 */
function renderAccessToken({ token, expiresAt, now }: PrintedOutput): string {
  const lifeSec = expiresAt === undefined ? {} : { expires_in: Math.max(0, Math.floor((expiresAt - now) / 1000)) }
  return `${JSON.stringify({ access_token: token, token_type: 'Bearer', ...lifeSec })}\n`
}
