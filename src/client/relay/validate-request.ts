import type { IncomingMessage } from 'node:http'
import { findBearerToken } from '../../contract/headers.ts'
import { isSameCredential } from '../../runtime/network/client-credentials.ts'

/** Why a request is not forwarded. */
export interface RelayRefusal {
  readonly status: number
  readonly type: 'invalid_request_error' | 'permission_error' | 'authentication_error'
  /** A message for the user of the client; it repeats no part of the request. */
  readonly message: string
}

/** Returns whether clients send a key in this header, whose name is in lower case. These headers do not reach the gateway. */
export function isKeyHeader(name: string): boolean {
  return name === 'authorization' || /^(x-)?(goog-)?api-?key$/.test(name)
}

/** The host and the key that every request must have. */
interface RelayIdentity {
  /** The address with the port, as in `Host`. */
  readonly host: string
  readonly key: string
}

/** Finds why a request is not forwarded, in this order: its form, its address, a browser, its key; `undefined` if it is forwarded. */
export function validateRequest(
  request: Pick<IncomingMessage, 'httpVersion' | 'method' | 'url' | 'rawHeaders'>,
  identity: RelayIdentity,
): RelayRefusal | undefined {
  const headers = groupHeaders(request.rawHeaders)
  const malformed = findMalformed(request, headers)
  if (malformed !== undefined) return { status: 400, type: 'invalid_request_error', message: malformed }
  // A page with DNS rebinding sends its own name.
  if (headers.get('host')?.[0] !== identity.host) return rejectCaller('the Host header is wrong')
  if (isFromBrowser(headers)) return rejectCaller('requests of web pages are not passed on')
  if (hasKey(headers, identity.key)) return undefined
  const message = 'this address takes only requests of the client that was started with it'
  return { status: 401, type: 'authentication_error', message }
}

/** Groups the values of headers by their names in lower case. Node's own object joins or drops repeated headers. */
export function groupHeaders(raw: readonly string[]): Map<string, string[]> {
  const grouped = new Map<string, string[]>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    const known = grouped.get(name)
    if (known) known.push(raw[at + 1]!)
    else grouped.set(name, [raw[at + 1]!])
  }
  return grouped
}

/** Headers about the end, the target and the sender of a message: two servers could read repeated ones differently. */
const single = ['host', 'content-length', 'transfer-encoding', 'expect']

/**
 * A target that a server could read as another one: of another host, or above the path of the gateway's address. Java servers drop the text
 * after `;` in a segment; others decode slashes before they resolve dot segments.
 */
const ambiguousTarget = /^[^/]|^\/\/|[^!-~]|\\|#|(\/|%2f|%5c)(\.|%2e){1,2}([/;]|%2f|%5c|%3b|%3f|%23|%00|$)/i

function findMalformed(
  { httpVersion, method, url = '' }: Pick<IncomingMessage, 'httpVersion' | 'method' | 'url'>,
  headers: Grouped,
): string | undefined {
  if (httpVersion !== '1.1') return 'the request is not HTTP/1.1'
  if (method === 'TRACE' || method === 'CONNECT') return `requests with ${method} are not passed on`
  if (ambiguousTarget.test(url.split('?', 1)[0]!) || /[^!-~]/.test(url))
    return 'the target of the request is not a plain path'
  const repeated = [...headers].find(([name, { length }]) => length > 1 && (single.includes(name) || isKeyHeader(name)))
  if (repeated) return `the header ${repeated[0]} is there more than once`
  if (headers.has('upgrade')) return 'no connection is changed to another protocol here'
  const coding = headers.get('transfer-encoding')?.[0]
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'the body has a transfer coding other than chunked'
  if (coding !== undefined && headers.has('content-length')) return 'the body has two lengths'
  const length = headers.get('content-length')?.[0]
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return 'the length of the body is not a number'
  return undefined
}

function rejectCaller(message: string): RelayRefusal {
  return { status: 403, type: 'permission_error', message }
}

type Grouped = ReadonlyMap<string, readonly string[]>

/**
 * Returns whether a browser sent it. Browsers state the origin of cross-origin requests, and `Sec-Fetch-Site` to an address of this machine
 * (Fetch Metadata Request Headers, W3C). `Sec-Fetch-Mode` proves nothing, because Node's `fetch` sends it too.
 */
function isFromBrowser(headers: Grouped): boolean {
  const names = [...headers.keys()]
  return names.some((name) => /^(origin|sec-fetch-(site|dest|user)|access-control-request-.*)$/.test(name))
}

/** Returns whether every key header has this key, and at least one is present. */
function hasKey(headers: Grouped, expected: string): boolean {
  const given = [...headers]
    .filter(([name]) => isKeyHeader(name))
    .map(([name, values]) => parseKey(name, values[0] ?? ''))
  return given.length > 0 && given.every((key) => isSameCredential(key, expected))
}

/** Parses the bearer token (RFC 6750), or returns the whole value of any other header. */
function parseKey(name: string, value: string): string {
  return name === 'authorization' ? (findBearerToken(value) ?? '') : value
}
