// Holds a row for each format of a client other than the desktop one: how that client reads an output, and how it asks for one.

import type { ClientFormat, HelperClient } from '../../contract/client.ts'
import { toHeaderRules } from '../../contract/client-headers.ts'
import { execCredentialVersion } from '../../contract/exec-credential.ts'
import { describeReserved, type Headers, isPrintable, validateHeaderSetBy } from '../../contract/headers.ts'
import { decodeUtf8, outputReasons } from '../../contract/output.ts'
import { isObject, isText, isTextList, parseObject, type RawObject, toObject } from '../../runtime/values/json-value.ts'

/** A format of a client other than the desktop one, whose format is in the contract. */
export type OtherFormat = Exclude<ClientFormat, 'json'>

/**
 * Parses stdout like a client with that format. It never throws, and its messages do not repeat the output.
 * @param now The end of the run, in milliseconds since the epoch: a life in seconds begins then.
 */
export function parseClientOutput(
  stdout: Uint8Array,
  format: OtherFormat,
  now: number,
  { reservedHeaders = [], stdoutBytes }: OutputLimits = {},
): ClientOutput {
  if (stdoutBytes !== undefined && stdout.length > stdoutBytes)
    return rejectOutput(`stdout is longer than ${stdoutBytes} bytes`)
  const text = decodeUtf8(stdout)
  if (text === undefined) return rejectOutput('stdout is not UTF-8 text')
  if (text.startsWith('\uFEFF')) return rejectOutput('stdout begins with a byte order mark')
  return formats[format].parse(text, { reserved: reservedHeaders, now })
}

/** The limits of one client, in addition to those of its format. */
interface OutputLimits {
  readonly reservedHeaders?: HelperClient['reservedHeaders'] | undefined
  readonly stdoutBytes?: HelperClient['stdoutBytes'] | undefined
}

/** Renders the text that a client writes to the stdin of a helper; `undefined` if it writes nothing. */
export function renderRequest(format: ClientFormat, request: ClientRequest): string | undefined {
  return format === 'json' ? undefined : formats[format].renderRequest?.(request)
}

interface ClientRequest {
  /** The full URL of the server for which the credential is. */
  readonly server: string
  /** The refused token, if the client tells the helper of one. */
  readonly refused?: string | undefined
}

/** Detects the format of a text by a mark that no other format has; `undefined` for a text without one. */
export function detectFormat(text: string): OtherFormat | undefined {
  const members = parseObject(text) ?? {}
  return otherFormats.find((format) => formats[format].isMarked?.(members, text))
}

/** The use of one format by its client: it reads an output, and may ask for one. */
interface FormatUse {
  parse(text: string, given: ReaderFacts): ClientOutput
  /** Absent for a client that writes nothing to stdin. */
  renderRequest?(request: ClientRequest): string
  /** Absent for a format whose outputs may be mistaken for others. */
  isMarked?(members: RawObject, text: string): boolean
}

const formats: Readonly<Record<OtherFormat, FormatUse>> = {
  token: { parse: parseBareToken },
  'headers-json': { parse: wrapParser(parseHeadersObject) },
  'access-token-json': {
    parse: (text, given) =>
      text.trimStart().startsWith('{') ? wrapParser(parseAccessToken)(text, given) : parseBareToken(text),
  },
  'proxy-authorization': { parse: parseAuthorization },
  'exec-credential': { parse: wrapParser(parseExecCredential), isMarked: ({ kind }) => kind === 'ExecCredential' },
  'credential-process': { parse: wrapParser(parseProcessKeys) },
  'sts-credentials': { parse: wrapParser(parseStsKeys) },
  bazel: {
    parse: wrapParser(parseBazelAnswer),
    renderRequest: ({ server }) => JSON.stringify({ uri: server }),
    // The document of the desktop client may wrongly have such a header beside its token.
    isMarked: ({ headers, token }) => token === undefined && Object.entries(toObject(headers)).some(isAuthorization),
  },
  git: {
    parse: parseGitAnswer,
    renderRequest: renderGitRequest,
    isMarked: (_, text) => /^password=/m.test(text) && /^(protocol|host|username)=/m.test(text),
  },
}

const otherFormats = Object.keys(formats) as OtherFormat[] // the keys of a constant

/** The facts that a client has besides the output. */
interface ReaderFacts {
  readonly reserved: readonly string[]
  readonly now: number
}

/** The credential in stdout, or why the client rejects it. The message does not repeat the output. */
type ClientOutput = ReadOutput | { readonly ok: false; readonly message: string }

/** The credential that a client reads from stdout. It is in plain text, because this is the boundary of the process. */
interface ReadOutput {
  readonly ok: true
  /** The token to send; for AWS keys, the access key id with the session token, which together differ from those of other keys. */
  readonly token: string
  /** The further headers; for AWS keys, the other secrets. */
  readonly headers: Headers
  /** The end that the output states, in epoch milliseconds, and the member that states it. */
  readonly end?: { readonly source: string; readonly at: number }
}

/** Creates the result for an output that a client rejects. */
function rejectOutput(message: string): ClientOutput {
  return { ok: false, message }
}

/** Wraps a parser of members as a parser of a text that is one JSON object and nothing else. */
function wrapParser(parse: (members: RawObject, given: ReaderFacts) => ClientOutput): FormatUse['parse'] {
  return (text, given) => {
    const document = text.trim()
    if (document === '') return rejectOutput(outputReasons.empty)
    const members = parseObject(document)
    return members ? parse(members, given) : rejectOutput('stdout is not one JSON object and nothing else')
  }
}

/** Parses stdout for a client that sends all of it without the surrounding space, so all of it must be the token. */
function parseBareToken(printed: string): ClientOutput {
  const text = printed.trim()
  if (text === '') return rejectOutput(outputReasons.empty)
  if (text.startsWith('{') || text.startsWith('['))
    return rejectOutput('stdout is a JSON document, which would be sent as the token')
  if (/[\r\n]/.test(text)) return rejectOutput('stdout has several lines, which no header can carry')
  if (!isPrintable(text)) return rejectOutput('the token has a character beyond visible ASCII and spaces')
  return { ok: true, token: text, headers: {} }
}

/**
 * Parses an object of header values. The token is that of `Authorization`; without it, the value of the first header, which is then
 * removed from the headers.
 */
function parseHeadersObject(value: RawObject, { reserved }: ReaderFacts): ClientOutput {
  const entries = Object.entries(value)
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    return rejectOutput('the value of a header is not a text')
  const credential = entries.find(isAuthorization) ?? entries[0]
  if (!credential) return rejectOutput('there is no header')
  const others = entries.filter((entry) => entry !== credential)
  const taken = others.find(([name]) => reserved.includes(name.toLowerCase()))
  const problem = taken ? describeReserved(taken[0]) : validateHeaderSetBy(toHeaderRules(), others)[0]
  if (problem) return rejectOutput(problem)
  return { ok: true, token: withoutScheme(credential[1]), headers: Object.fromEntries(others) }
}

/** Parses a successful response of RFC 6749, section 5.1. `expires_in` is relative to now. */
function parseAccessToken({ access_token: token, expires_in: lifeSec }: RawObject, { now }: ReaderFacts): ClientOutput {
  if (!isText(token)) return rejectOutput('"access_token" is not text')
  if (lifeSec === undefined) return { ok: true, token, headers: {} }
  if (typeof lifeSec !== 'number' || lifeSec <= 0) return rejectOutput('"expires_in" is not a number above 0')
  return { ok: true, token, headers: {}, end: { source: 'expires_in', at: now + lifeSec * 1000 } }
}

/** Parses the value of `Proxy-Authorization`: a scheme and its credentials (RFC 9110, section 11.4). */
function parseAuthorization(printed: string): ClientOutput {
  const text = printed.trim()
  if (!/^[\w-]+ +[\x21-\x7e]+$/.test(text))
    return rejectOutput('stdout is not a scheme and its credentials on one line')
  return { ok: true, token: withoutScheme(text), headers: {} }
}

function isAuthorization([name]: readonly [name: string, value: unknown]): boolean {
  return name.toLowerCase() === 'authorization'
}

function withoutScheme(value: string): string {
  return value.replace(/^(Bearer|Basic) +/i, '')
}

/** Parses an `ExecCredential` of Kubernetes with a token; our helpers issue no certificates. */
function parseExecCredential({ kind, apiVersion, status }: RawObject): ClientOutput {
  if (kind !== 'ExecCredential') return rejectOutput('"kind" is not "ExecCredential"')
  if (apiVersion !== execCredentialVersion) return rejectOutput(`"apiVersion" is not "${execCredentialVersion}"`)
  if (!isObject(status)) return rejectOutput('there is no "status"')
  const { token, expirationTimestamp } = status
  if (!isText(token)) return rejectOutput('"status.token" is not text')
  if (expirationTimestamp === undefined || expirationTimestamp === null) return { ok: true, token, headers: {} }
  const at = parseMoment(expirationTimestamp)
  if (at === undefined) return rejectOutput('"status.expirationTimestamp" is not a date in the form of RFC 3339')
  return { ok: true, token, headers: {}, end: { source: 'status.expirationTimestamp', at } }
}

/** Parses version 1 of the output of `credential_process` (AWS documentation, "Source credentials with an external process"). */
function parseProcessKeys(value: RawObject): ClientOutput {
  return value.Version === 1 ? parseAwsKeys(value) : rejectOutput('"Version" is not the number 1')
}

function parseStsKeys({ Credentials: keys }: RawObject): ClientOutput {
  return isObject(keys) ? parseAwsKeys(keys) : rejectOutput('there is no object "Credentials"')
}

function parseAwsKeys({ AccessKeyId, SecretAccessKey, SessionToken, Expiration }: RawObject): ClientOutput {
  if (!isText(AccessKeyId)) return rejectOutput('"AccessKeyId" is not text')
  if (!isText(SecretAccessKey)) return rejectOutput('"SecretAccessKey" is not text')
  if (SessionToken !== undefined && SessionToken !== null && !isText(SessionToken))
    return rejectOutput('"SessionToken" is not text')
  const session = isText(SessionToken) ? { SessionToken } : {}
  const keys = {
    ok: true,
    token: [AccessKeyId, ...Object.values(session)].join('/'),
    headers: { SecretAccessKey, ...session },
  } as const
  if (Expiration === undefined || Expiration === null) return keys
  const at = parseMoment(Expiration)
  if (at === undefined) return rejectOutput('"Expiration" is not a date with a time zone in the form of ISO 8601')
  return { ...keys, end: { source: 'Expiration', at } }
}

/** Parses the answer of a credential helper of Bazel: lists of header values, with the token in `Authorization`. */
function parseBazelAnswer({ headers = {}, expires }: RawObject): ClientOutput {
  if (!isObject(headers)) return rejectOutput('"headers" is not an object')
  const entries = Object.entries(headers)
  if (!entries.every((entry): entry is [string, string[]] => isTextList(entry[1])))
    return rejectOutput('the value of a header is not a list of texts')
  const [name, values = []] = entries.find(isAuthorization) ?? []
  const [authorization] = values
  if (authorization === undefined) return rejectOutput('there is no header "Authorization"')
  const others = entries.filter(([key]) => key !== name).map(([key, list]) => [key, list.join(', ')] as const)
  const read = { ok: true, token: withoutScheme(authorization), headers: Object.fromEntries(others) } as const
  if (expires === undefined) return read
  const at = /\.\d/.test(String(expires)) ? undefined : parseMoment(expires)
  if (at === undefined)
    return rejectOutput('"expires" is not a date in the form of RFC 3339 without fractions of a second')
  return { ...read, end: { source: 'expires', at } }
}

/** Parses the attributes of a Git credential helper, up to an empty line. Unknown names are ignored, as by Git (git-credential(1)). */
function parseGitAnswer(text: string): ClientOutput {
  const lines = text.split('\n')
  const end = lines.indexOf('')
  const attributes = new Map<string, string>()
  for (const line of end < 0 ? lines : lines.slice(0, end)) {
    const at = line.indexOf('=')
    if (at < 0) return rejectOutput('a line of stdout is not an attribute such as password=…')
    attributes.set(line.slice(0, at), line.slice(at + 1))
  }
  const password = attributes.get('password')
  if (!password) return rejectOutput('there is no "password", so that Git asks the next helper, and then the person')
  if (!attributes.get('username')) return rejectOutput('there is no "username", for which Git asks the person')
  if (text.includes('\r'))
    return rejectOutput('lines end with a carriage return, which Git takes for a part of the value')
  const expiry = attributes.get('password_expiry_utc')
  if (expiry === undefined) return { ok: true, token: password, headers: {} }
  if (!/^\d{1,12}$/.test(expiry))
    return rejectOutput('"password_expiry_utc" is not a whole number of seconds since 1970')
  return { ok: true, token: password, headers: {}, end: { source: 'password_expiry_utc', at: Number(expiry) * 1000 } }
}

function renderGitRequest({ server, refused }: ClientRequest): string {
  const { protocol, host } = new URL(server)
  const secret = refused === undefined ? '' : `password=${refused}\n`
  return `protocol=${protocol.slice(0, -1)}\nhost=${host}\n${secret}`
}

/** Parses a time of RFC 3339 to epoch milliseconds; `undefined` for anything else. */
function parseMoment(value: unknown): number | undefined {
  const isMoment = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  const at = isMoment ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
