import { limits } from './limits.ts'

/** Header names in the spelling in which they are sent, with their values. */
export type Headers = Readonly<Record<string, string>>

/** Names that carry a credential, or belong to one connection (RFC 9110, section 7.6.1). Our decision. */
const reserved = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'cookie',
  'host',
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/**
 * Reserved names that an option can allow: in front of a gateway may stand another one that reads its own credential there, and
 * leaves `Authorization` to the gateway. Not every client sends such a header.
 */
export const allowableHeaders = ['proxy-authorization'] as const

/** See {@link allowableHeaders}. */
export type AllowableHeader = (typeof allowableHeaders)[number]

/** What beside the names that every client reserves decides whether a header can be set. */
export interface HeaderRules {
  /** A header that is refused otherwise. */
  readonly allowed?: AllowableHeader | undefined
  /** In lower case, the headers of the client's own protocol, which have the vendor's name. */
  readonly own: readonly string[]
}

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Visible ASCII and spaces: a client joins headers with line breaks, so that a control character could add a header. */
const printable = /^[\x20-\x7e]*$/

/** Whether only the client may set this header. */
export function isReservedBy({ allowed, own }: HeaderRules, name: string): boolean {
  const lower = name.toLowerCase()
  return lower !== allowed && (reserved.has(lower) || own.includes(lower) || lower.startsWith('content-'))
}

/** What is wrong with one header; `undefined` for a valid one. The text does not contain the value. */
export function findProblemBy(rules: HeaderRules, name: string, value: string): string | undefined {
  if (!token.test(name)) return `${JSON.stringify(name)} is not a header name (RFC 9110 token)`
  if (isReservedBy(rules, name)) return `"${name}" belongs to the client and cannot be set`
  if (!printable.test(value)) return `the value of "${name}" has a character beyond visible ASCII and spaces`
  if (Buffer.byteLength(value) > limits.headerValueBytes)
    return `the value of "${name}" is longer than ${limits.headerValueBytes} bytes`
  return undefined
}

/** What is wrong with a set of headers and with each of them. Empty when a client would send them all. */
export function findProblemsBy(
  rules: HeaderRules,
  headers: Iterable<readonly [name: string, value: string]>,
): string[] {
  const problems: string[] = []
  const seen = new Map<string, string>()
  for (const [name, value] of headers) {
    const problem = findProblemBy(rules, name, value)
    if (problem) problems.push(problem)
    const earlier = seen.get(name.toLowerCase())
    if (earlier === name) problems.push(`"${name}" is given twice`)
    else if (earlier !== undefined) problems.push(`"${earlier}" and "${name}" differ in case only`)
    seen.set(name.toLowerCase(), name)
  }
  if (seen.size > limits.headers) problems.push(`${seen.size} headers are more than the ${limits.headers} allowed`)
  return problems
}

/** Joins two sets of headers: where names are equal without regard to case, the second set wins. Specification, `customHeaders`. */
export function mergeHeaders(first: Headers, second: Headers): Record<string, string> {
  const replaced = new Set(Object.keys(second).map((name) => name.toLowerCase()))
  const kept = Object.entries(first).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...second }
}
