import { parseBazelAnswer } from '../../../client/output/parse-bazel-answer.ts'
import { parseExecCredential } from '../../../client/output/parse-exec-credential.ts'
import type { Headers } from '../../../contract/headers.ts'
import { parseOutput } from '../../../contract/output.ts'
import { isCredentialText } from '../../../runtime/hiding/credential-text.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { Secret } from '../../../runtime/secret.ts'
import { type FoundToken, rejectInput } from './found-token.ts'
import { stripPaste } from './strip-paste.ts'

type Members = Readonly<Record<string, unknown>>

interface Shape {
  readonly has: (members: Members) => boolean
  readonly read: (members: Members, text: string) => FoundToken
}

/**
 * Takes the token out of a JSON object: the output of a helper in any of its formats, the answer of a token endpoint, a login of
 * Vault. @throws {HelperError} `usage` that says what the object is instead.
 */
export function parseDocument(text: string): FoundToken {
  const members = parseObject(text)
  if (!members) throw rejectInput('begins as JSON and is no JSON object', 'give the whole output, and nothing else')
  const shape = shapes.find(({ has }) => has(members))
  if (!shape) throw refuseMembers(members)
  return shape.read(members, text)
}

/** The first shape whose members are there counts. */
const shapes: readonly Shape[] = [
  { has: ({ kind }) => kind === 'ExecCredential', read: (_members, text) => fromClient(text, 'an ExecCredential') },
  { has: ({ iam_request_headers: headers }) => typeof headers === 'string', read: readLogin },
  { has: ({ token }) => token !== undefined, read: readOwn },
  {
    has: ({ headers }) => hasMember(headers, 'authorization'),
    read: (_members, text) => fromClient(text, bazelAnswer),
  },
  { has: (members) => listTokens(members).length > 0, read: readResponse },
  {
    has: isAwsKeys,
    read: refuseAs(
      'holds AWS keys (credential_process), and no part of them is a token',
      'see whose they are: aws sts get-caller-identity; for a gateway, name a helper that proves whose they are: gatepass choose',
    ),
  },
  {
    has: ({ keys }) => Array.isArray(keys),
    read: refuseAs('is a key set and no token', 'give the token, and name the key set with --keys'),
  },
  {
    has: ({ error }) => error !== undefined,
    read: refuseAs('is an error and holds no token', 'have whoever printed it print a token first'),
  },
  {
    has: ({ iss, sub, exp }) => [iss, sub, exp].filter((claim) => claim !== undefined).length > 1,
    read: refuseAs(
      'is what a token states and not the token',
      'give the token as it is sent: three parts between dots',
    ),
  },
]

const bazelAnswer = "an answer of Bazel's credential helpers"

/** The document of the desktop client. What that client refuses is noted, because the token can be read all the same. */
function readOwn(members: Members, text: string): FoundToken {
  if (typeof members.token !== 'string')
    throw rejectInput('has a "token" that is no text', 'have the helper print a text')
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

function fromClient(text: string, shape: string): FoundToken {
  const read = shape === bazelAnswer ? parseBazelAnswer(text) : parseExecCredential(text)
  if (!read.ok) throw rejectInput(`is not ${shape}: ${read.message}`, 'have the helper print it as its client reads it')
  const { token, notes } = stripPaste(read.token)
  const { headers, end } = read
  return { token: new Secret(token), headers, shape, notes, ...(end && { stated: end }) }
}

/** The members in which the answer of a token endpoint, or a program, carries a token. */
const tokenMembers = ['access_token', 'id_token', 'accessToken', 'idToken'] as const

function listTokens(members: Members): string[] {
  return tokenMembers.filter((name) => typeof members[name] === 'string')
}

function readResponse(members: Members): FoundToken {
  const [name = '', other] = listTokens(members)
  if (other !== undefined)
    throw rejectInput(`holds ${name} and ${other}`, `give one of them, such as by: jq -r .${name}`)
  const { token, notes } = stripPaste(String(members[name]))
  return { token: new Secret(token), headers: {}, shape: `JSON with an "${name}"`, notes }
}

/** A login of Vault as it is sent to Vault, which a token holds in base64. */
function readLogin(_members: Members, text: string): FoundToken {
  const token = Buffer.from(text).toString('base64')
  return { token: new Secret(token), headers: {}, shape: 'a login of Vault as JSON', notes: [] }
}

function isAwsKeys({ AccessKeyId, SecretAccessKey }: Members): boolean {
  return AccessKeyId !== undefined && SecretAccessKey !== undefined
}

function refuseAs(problem: string, hint: string): Shape['read'] {
  return () => {
    throw rejectInput(problem, hint)
  }
}

function refuseMembers(members: Members): Error {
  const names = Object.keys(members).filter((name) => /^[\w.-]{1,40}$/.test(name) && !isCredentialText(name))
  const list = names.length === 0 ? '' : `; it has ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
  return rejectInput(
    `is JSON in which no member is known to be a token${list}`,
    'give the token alone, such as by: jq -r .NAME',
  )
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).some((key) => key.toLowerCase() === name)
}

function toHeaders(value: unknown): Headers {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
