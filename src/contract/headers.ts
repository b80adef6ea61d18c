import { limits } from './limits.ts'

/** Header names, spelled as they are sent, with their values. */
export type Headers = Readonly<Record<string, string>>

/** The headers in which gateways look for a token, in lower case and in order of preference. */
export const knownTokenHeaders = ['authorization', 'x-api-key', 'proxy-authorization'] as const

/** How a credential is sent: `Authorization: Bearer` (RFC 6750), or the header `x-api-key`. */
export const authSchemes = ['bearer', 'x-api-key'] as const

/** See {@link authSchemes}. */
export type AuthScheme = (typeof authSchemes)[number]

/** Converts a credential to the header in which it is sent. */
export function toCredentialHeader(scheme: AuthScheme, credential: string): Headers {
  return scheme === 'bearer' ? { authorization: `Bearer ${credential}` } : { 'x-api-key': credential }
}

/** Names that contain a credential, or belong to one connection (RFC 9110, section 7.6.1). Our decision. */
const reserved = new Set<string>([
  ...knownTokenHeaders,
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
 * Reserved names that an option can allow: a proxy in front of a gateway may read its own credential there, and leave
 * `Authorization` to the gateway. Not every client sends such a header.
 */
export const allowableHeaders = ['proxy-authorization'] as const

/** See {@link allowableHeaders}. */
export type AllowableHeader = (typeof allowableHeaders)[number]

/** The rules for setting a header, in addition to the names that every client reserves. */
export interface HeaderRules {
  /** A header that would otherwise be refused. */
  readonly allowed?: AllowableHeader | undefined
  /** In lower case, the headers of the client's own protocol, which have the vendor's name. */
  readonly protocolHeaders: readonly string[]
}

/** A token (RFC 9110, section 5.6.2). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Returns whether a text is one token, as the name of a header has to be (RFC 9110, section 5.1). */
export function isHeaderName(text: string): boolean {
  return token.test(text)
}

/** Finds the token in a header `authorization` of the scheme Bearer (RFC 6750, section 2.1); `undefined` for another value. */
export function findBearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}

/** Returns whether a text can be a token or a key in a header: one word of visible ASCII. */
export function isCredentialWord(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

/** Returns whether a text is visible ASCII and spaces: a client joins headers with line breaks, so a control character could add a header. */
export function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/** Returns whether a header can have the value: a character of one byte each, and no control character (RFC 9110, section 5.5). */
export function isSendableValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

/** Returns whether only the client may set this header, by these rules. */
export function isReservedBy({ allowed, protocolHeaders }: HeaderRules, name: string): boolean {
  const lower = name.toLowerCase()
  return lower !== allowed && (reserved.has(lower) || protocolHeaders.includes(lower) || lower.startsWith('content-'))
}

/** Finds the problem of one header; `undefined` for a valid one. The text does not contain the value. */
export function validateHeaderBy(rules: HeaderRules, name: string, value: string): string | undefined {
  if (!isHeaderName(name)) return `${JSON.stringify(name)} is not a header name (RFC 9110 token)`
  if (isReservedBy(rules, name)) return describeReserved(name)
  if (!isPrintable(value)) return `the value of "${name}" has a character beyond visible ASCII and spaces`
  if (Buffer.byteLength(value) > limits.headerValueBytes)
    return `the value of "${name}" is longer than ${limits.headerValueBytes} bytes`
  return undefined
}

/** Describes the problem of a header that only the client may set. */
export function describeReserved(name: string): string {
  return `"${name}" belongs to the client and cannot be set`
}

export function validateHeaderSetBy(
  rules: HeaderRules,
  headers: Iterable<readonly [name: string, value: string]>,
): string[] {
  const problems: string[] = []
  const seen = new Map<string, string>()
  for (const [name, value] of headers) {
    const problem = validateHeaderBy(rules, name, value)
    if (problem) problems.push(problem)
    const earlier = seen.get(name.toLowerCase())
    if (earlier === name) problems.push(`"${name}" is given twice`)
    else if (earlier !== undefined) problems.push(`"${earlier}" and "${name}" differ in case only`)
    seen.set(name.toLowerCase(), name)
  }
  if (seen.size > limits.headers) problems.push(`${seen.size} headers are more than the ${limits.headers} allowed`)
  return problems
}

/** Joins two sets of headers: if names differ only in case, the second set overrides the first (specification, `customHeaders`). */
export function mergeHeaders(first: Headers, second: Headers): Record<string, string> {
  const replaced = new Set(Object.keys(second).map((name) => name.toLowerCase()))
  const kept = Object.entries(first).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...second }
}
