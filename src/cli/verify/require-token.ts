import { detectFormat, type OtherFormat, parseClientOutput } from '../../client/launch/client-formats.ts'
import { type Headers, knownTokenHeaders } from '../../contract/headers.ts'
import { parseOutput } from '../../contract/output.ts'
import { formatFacts } from '../../contract/output-format.ts'
import { Secret } from '../../runtime/secret.ts'
import { isCredentialHeader } from '../../runtime/text/credential-text.ts'
import { parseObject, type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { describeMembers } from '../../sources/command/token-documents.ts'
import { programName } from '../../version.ts'
import { type FoundToken, rejectInput, stripPaste } from './pasted-token.ts'

/**
 * Finds the token in a text: pasted, or the whole output of a helper in any format.
 * @throws {HelperError} `usage` unless there is exactly one token; the message repeats nothing of the text.
 */
export function requireToken(text: string): FoundToken {
  const trimmed = text.trim()
  if (/-----BEGIN /.test(trimmed)) throw rejectInput('is a key or a certificate and not a token', 'give the token')
  const headers = parseHeaderLines(trimmed)
  if (headers) return fromHeaders(headers)
  const format = detectFormat(trimmed)
  if (format) return requireClientToken(trimmed, format)
  if (trimmed.startsWith('[')) throw rejectInput('is a list', 'give one token, or the output of one helper')
  const start = trimmed.search(/^\{/m)
  if (start === 0) return parseDocument(trimmed)
  if (start > 0) {
    const found = requireToken(trimmed.slice(start))
    return { ...found, notes: [...found.notes, 'lines before the JSON were ignored'] }
  }
  const { token, notes } = stripPaste(trimmed)
  return { token: new Secret(token), headers: {}, notes }
}

interface DocumentShape {
  readonly has: (members: RawObject) => boolean
  readonly read: (members: RawObject, text: string) => FoundToken
}

/** Parses a text of header lines, one of which has a credential; `undefined` for any other text. */
function parseHeaderLines(text: string): readonly (readonly [name: string, value: string])[] | undefined {
  const lines = text.split(/\r\n|\r|\n/).filter((part) => part.trim() !== '')
  const headers = lines.flatMap((part) => {
    const { name, value } = line.exec(part.trim())?.groups ?? {}
    return name !== undefined && value !== undefined ? [[name, value] as const] : []
  })
  const isWhole = headers.length === lines.length && headers.some(([name, value]) => isCredentialHeader(name, value))
  return isWhole ? headers : undefined
}

/** A header as helpers print it with `--format headers`, and as `curl` accepts it. */
const line =
  /^(?:(?:-H|--header)[\s=]+)?(?<quote>["']?)(?<name>[\w!#$%&*+.^`|~-]+):[ \t]+(?<value>\S.*?)\k<quote>\s*\\?$/

function fromHeaders(lines: readonly (readonly [name: string, value: string])[]): FoundToken {
  const names = lines.map(([name]) => name.toLowerCase())
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined)
    throw rejectInput('has a header twice', 'remove one of them: a gateway refuses a request with both')
  const at = Math.max(0, names.indexOf(knownTokenHeaders.find((name) => names.includes(name)) ?? ''))
  const [name, value] = lines[at]!
  const { token, notes } = stripPaste(value.replace(/^[A-Za-z][\w-]* +(?=\S+$)/, ''))
  const others = lines.filter((_line, index) => index !== at)
  return { token: new Secret(token), headers: Object.fromEntries(others), shape: `the header ${name}`, notes }
}

/** Requires the token in an output of a client's format. @throws {HelperError} `usage` if that client would refuse it. */
function requireClientToken(text: string, format: OtherFormat): FoundToken {
  const shape = formatFacts[format].name
  const read = parseClientOutput(Buffer.from(text), format, Date.now())
  if (!read.ok) throw rejectInput(`is not ${shape}: ${read.message}`, 'have the helper print it as its client reads it')
  const { token, notes } = stripPaste(read.token)
  const { headers, end } = read
  return { token: new Secret(token), headers, shape, notes, ...(end && { stated: end }) }
}

/**
 * Parses the token in any other JSON object: the desktop client's document, the answer of a token endpoint, or a login of Vault.
 * @throws {HelperError} `usage` that describes any other object.
 */
function parseDocument(text: string): FoundToken {
  const members = parseObject(text)
  if (!members)
    throw rejectInput('begins like JSON, but is not a JSON object', 'give the whole output, and nothing else')
  const shape = shapes.find(({ has }) => has(members))
  if (!shape) throw rejectMembers(members)
  return shape.read(members, text)
}

/** The members with a token in the answer of a token endpoint, or of a program. */
const tokenMembers = ['access_token', 'id_token', 'accessToken', 'idToken'] as const

/** The first shape that fits is used. */
const shapes: readonly DocumentShape[] = [
  { has: ({ iam_request_headers: headers }) => typeof headers === 'string', read: parseLogin },
  { has: ({ token }) => token !== undefined, read: parseOwn },
  { has: (members) => listTokens(members).length > 0, read: parseResponse },
  {
    has: ({ AccessKeyId, SecretAccessKey }) => AccessKeyId !== undefined && SecretAccessKey !== undefined,
    read: rejectAs(
      'holds AWS keys (credential_process), and no part of them is a token',
      `put them into a profile to see whose they are: aws sts get-caller-identity --profile NAME; for a gateway, choose a helper that proves it: ${programName} choose`,
    ),
  },
  {
    has: ({ keys }) => Array.isArray(keys),
    read: rejectAs('is a key set and not a token', 'give the token, and name the key set with --keys'),
  },
  {
    has: ({ error }) => error !== undefined,
    read: rejectAs('is an error and holds no token', 'have the program that printed it print a token'),
  },
  {
    has: ({ iss, sub, exp }) => [iss, sub, exp].filter((claim) => claim !== undefined).length > 1,
    read: rejectAs(
      'is the content of a token, not the token itself',
      'give the token as it is sent: three parts between dots',
    ),
  },
]

/** Parses a login of Vault as clients send it to Vault; a token contains it in base64. */
function parseLogin(_members: RawObject, text: string): FoundToken {
  const token = Buffer.from(text).toString('base64')
  return { token: new Secret(token), headers: {}, shape: 'a login of Vault as JSON', notes: [] }
}

/** Parses the output for the desktop client. If that client would refuse it, a note reports this, because the token is readable anyway. */
function parseOwn(members: RawObject, text: string): FoundToken {
  if (typeof members.token !== 'string')
    throw rejectInput('has a "token" that is not a string', 'have the helper print a string')
  const { token, notes } = stripPaste(members.token)
  const read = parseOutput(Buffer.from(text))
  const refused = read.ok ? [] : [`the desktop client refuses this output: ${read.message}`]
  return {
    token: new Secret(token),
    headers: toHeaders(members.headers),
    shape: 'JSON with a "token"',
    notes: [...notes, ...refused],
  }
}

function toHeaders(value: unknown): Headers {
  const entries = Object.entries(toObject(value))
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function listTokens(members: RawObject): string[] {
  return tokenMembers.filter((name) => typeof members[name] === 'string')
}

function parseResponse(members: RawObject): FoundToken {
  const [name = '', other] = listTokens(members)
  if (other !== undefined)
    throw rejectInput(`holds ${name} and ${other}`, `give one of them, for example with: jq -r .${name}`)
  const { token, notes } = stripPaste(String(members[name]))
  return { token: new Secret(token), headers: {}, shape: `JSON with an "${name}"`, notes }
}

function rejectAs(problem: string, hint: string): DocumentShape['read'] {
  return () => {
    throw rejectInput(problem, hint)
  }
}

function rejectMembers(members: RawObject): Error {
  return rejectInput(
    `is JSON in which no member is known to be a token${describeMembers(members)}`,
    'give the token alone, for example with: jq -r .NAME',
  )
}
