import { createHash, timingSafeEqual } from 'node:crypto'

/** A request, as far as it decides whether it is the browser that comes back. */
export interface CallbackRequest {
  readonly method: string | undefined
  /** The request target, as it was sent. */
  readonly target: string | undefined
  readonly host: string | undefined
}

/** What the one request looks like that ends the wait. */
export interface ExpectedCallback {
  readonly path: string
  /** With their port, in lower case. */
  readonly hosts: readonly string[]
  readonly state: string
}

/**
 * The query of the request with which the browser comes back; `undefined` for any other request. Every page in the person's
 * browser and every program of the machine can send requests here, so nothing less than the state ends the wait, not even an
 * error (RFC 8252, section 8.9; RFC 6749, section 10.12). No parameter may be repeated (RFC 6749, section 3.1).
 */
export function matchCallback(request: CallbackRequest, expected: ExpectedCallback): URLSearchParams | undefined {
  const { method, target = '', host = '' } = request
  if (method !== 'GET' || !expected.hosts.includes(host.toLowerCase())) return undefined
  const [path = '', ...rest] = target.split('?')
  if (path !== expected.path) return undefined
  const query = new URLSearchParams(rest.join('?'))
  const isOnce = [...new Set(query.keys())].every((name) => query.getAll(name).length === 1)
  const isAnswer = query.has('code') !== query.has('error')
  return isOnce && isAnswer && isSame(query.get('state') ?? '', expected.state) ? query : undefined
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return expected !== '' && timingSafeEqual(digest(given), digest(expected))
}
