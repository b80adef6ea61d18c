import { type ClientOutput, refuseOutput } from './client-output.ts'
import { parseJsonOutput, parseMoment } from './parse-json-output.ts'

/** An answer of a credential helper of Bazel: lists of header values, of which `Authorization` is the token's. */
export function parseBazelAnswer(text: string): ClientOutput {
  const value = parseJsonOutput(text)
  if (typeof value === 'string') return refuseOutput(value)
  const { headers = {}, expires } = value
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return refuseOutput('"headers" is not an object')
  const entries = Object.entries(headers as Readonly<Record<string, unknown>>)
  if (!entries.every((entry): entry is [string, string[]] => isList(entry[1])))
    return refuseOutput('the value of a header is not a list of texts')
  const [name, values = []] = entries.find(([key]) => key.toLowerCase() === 'authorization') ?? []
  const [authorization] = values
  if (authorization === undefined) return refuseOutput('there is no header "Authorization"')
  const others = entries.filter(([key]) => key !== name).map(([key, list]) => [key, list.join(', ')] as const)
  const read = { ok: true, token: authorization.replace(/^Bearer /i, ''), headers: Object.fromEntries(others) } as const
  if (expires === undefined) return read
  const at = /\.\d/.test(String(expires)) ? undefined : parseMoment(expires)
  if (at === undefined) return refuseOutput('"expires" is no date as RFC 3339 has it without fractions of a second')
  return { ...read, end: { source: 'expires', at } }
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
