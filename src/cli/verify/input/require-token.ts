import { parseGitAnswer } from '../../../client/output/parse-git-answer.ts'
import { Secret } from '../../../runtime/secret.ts'
import { type FoundToken, rejectInput } from './found-token.ts'
import { parseDocument } from './parse-document.ts'
import { parseHeaderLines } from './parse-header-lines.ts'
import { stripPaste } from './strip-paste.ts'

/**
 * Finds the token in a text: pasted, or the whole output of a helper in any format.
 * @throws {HelperError} `usage` where there is none, or more than one; the message repeats nothing of the text.
 */
export function requireToken(text: string): FoundToken {
  const trimmed = text.trim()
  if (/-----BEGIN /.test(trimmed)) throw rejectInput('is a key or a certificate and no token', 'give the token')
  const headers = parseHeaderLines(trimmed)
  if (headers) return fromHeaders(headers)
  if (/^password=/m.test(trimmed) && /^(protocol|host|username)=/m.test(trimmed)) return fromGit(trimmed)
  if (trimmed.startsWith('[')) throw rejectInput('is a list', 'give one token, or the output of one helper')
  const start = trimmed.search(/^\{/m)
  if (start === 0) return parseDocument(trimmed)
  if (start > 0) return addNote(parseDocument(trimmed.slice(start)), 'lines before the JSON were left out')
  const { token, notes } = stripPaste(trimmed)
  return { token: new Secret(token), headers: {}, notes }
}

/** Where the token is, the first that is there; the other headers stand beside it. */
const tokenHeaders = ['authorization', 'x-api-key', 'proxy-authorization']

function fromHeaders(lines: readonly (readonly [name: string, value: string])[]): FoundToken {
  const names = lines.map(([name]) => name.toLowerCase())
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined)
    throw rejectInput('has a header twice', 'remove one of them: a gateway refuses a request with both')
  const at = Math.max(0, names.indexOf(tokenHeaders.find((name) => names.includes(name)) ?? ''))
  const [name, value] = lines[at]!
  const { token, notes } = stripPaste(value.replace(/^[A-Za-z][\w-]* +(?=\S+$)/, ''))
  const others = lines.filter((_line, index) => index !== at)
  return { token: new Secret(token), headers: Object.fromEntries(others), shape: `the header ${name}`, notes }
}

function fromGit(text: string): FoundToken {
  const shape = "an answer of Git's credential helpers"
  const read = parseGitAnswer(text)
  if (!read.ok) throw rejectInput(`is not ${shape}: ${read.message}`, 'have the helper print it as Git reads it')
  const { token, notes } = stripPaste(read.token)
  return { token: new Secret(token), headers: {}, shape, notes, ...(read.end && { stated: read.end }) }
}

function addNote(found: FoundToken, note: string): FoundToken {
  return { ...found, notes: [...found.notes, note] }
}
