import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is not passed on. */
export interface RelayRefusal {
  readonly status: number
  readonly type: 'invalid_request_error' | 'permission_error' | 'authentication_error'
  /** The words for whoever uses the client; they repeat nothing of the request. */
  readonly message: string
}

/** Whether clients send a key in this header, whose name is in lower case. None of them reaches the gateway. */
export function isKeyHeader(name: string): boolean {
  return name === 'authorization' || /^(x-)?(goog-)?api-?key$/.test(name)
}

/** The name and the key that every request has to show. */
interface RelayIdentity {
  /** The address with the port, as `Host` has it. */
  readonly host: string
  readonly keyDigest: Buffer
}

/** Finds why a request is not passed on, in the order: its form, its address, a browser, its key; `undefined` for one that is. */
export function validateRequest(
  request: Pick<IncomingMessage, 'httpVersion' | 'method' | 'url' | 'rawHeaders'>,
  identity: RelayIdentity,
): RelayRefusal | undefined {
  const headers = groupHeaders(request.rawHeaders)
  const malformed = findMalformed(request, headers)
  if (malformed !== undefined) return { status: 400, type: 'invalid_request_error', message: malformed }
  // A web page that made its own name resolve to this machine sends that name (DNS rebinding).
  if (headers.get('host')?.[0] !== identity.host) return rejectCaller('this address has another name')
  if (isFromBrowser(headers)) return rejectCaller('requests of web pages are not passed on')
  if (hasKey(headers, identity.keyDigest)) return undefined
  const message = 'this address takes only requests of the client that was started with it'
  return { status: 401, type: 'authentication_error', message }
}

function rejectCaller(message: string): RelayRefusal {
  return { status: 403, type: 'permission_error', message }
}

type Grouped = ReadonlyMap<string, readonly string[]>

/** The values of each header by its name in lower case; Node's own object joins repeated ones, or drops them. */
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

/** Headers that decide where a message ends, whom it is for and who sends it: two of them could be read in two ways. */
const single = ['host', 'content-length', 'transfer-encoding', 'expect']

/**
 * A target that a server could take for another one: of another host, or above the path that the gateway's address has. Servers of Java drop
 * what follows `;` in a segment; others decode slashes before they resolve dots.
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

/**
 * Whether a browser sends it. Every browser states the origin of what a page sends elsewhere, and its `Sec-Fetch-Site` to an address of this
 * machine (Fetch Metadata Request Headers, W3C). `Sec-Fetch-Mode` says nothing: the `fetch` of Node sends it too.
 */
function isFromBrowser(headers: Grouped): boolean {
  const names = [...headers.keys()]
  return names.some((name) => /^(origin|sec-fetch-(site|dest|user)|access-control-request-.*)$/.test(name))
}

/** Every header that may hold a key has to hold this one, and one of them has to be there. */
function hasKey(headers: Grouped, keyDigest: Buffer): boolean {
  const given = [...headers]
    .filter(([name]) => isKeyHeader(name))
    .map(([name, values]) => parseKey(name, values[0] ?? ''))
  return given.length > 0 && given.every((key) => timingSafeEqual(digestKey(key), keyDigest))
}

/** A bearer token (RFC 6750), or the whole value of any other header. */
function parseKey(name: string, value: string): string {
  return name === 'authorization' ? (/^Bearer +(\S+)$/i.exec(value)?.[1] ?? '') : value
}

/** Digests are compared, because they have one length and say nothing of the key. */
export function digestKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
