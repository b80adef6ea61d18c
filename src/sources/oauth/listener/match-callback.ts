import { createHash, timingSafeEqual } from 'node:crypto'

/** A request, as far as it says where it goes. */
export interface CallbackRequest {
  readonly method: string | undefined
  /** The request target, as it was sent. */
  readonly target: string | undefined
  readonly host: string | undefined
}

/** Where the browser comes back to. */
export interface CallbackPlace {
  readonly path: string
  /** With their port, in lower case. */
  readonly hosts: readonly string[]
  readonly responseMode: 'query' | 'form_post'
}

/** How a request carries its parameters, if it goes to the callback; `undefined` for any other request. */
export function detectCarrier(request: CallbackRequest, place: CallbackPlace): 'query' | 'form' | undefined {
  const { method, target = '', host = '' } = request
  if (!place.hosts.includes(host.toLowerCase())) return undefined
  if (method === 'POST' && place.responseMode === 'form_post' && target === place.path) return 'form'
  return method === 'GET' && target.split('?')[0] === place.path ? 'query' : undefined
}

/**
 * Whether these are the parameters with which the browser comes back. Every page in the person's browser and every program of the
 * machine can send requests here, so nothing less than the state ends the wait, not even an error (RFC 8252, section 8.9;
 * RFC 6749, section 10.12). No parameter may be repeated (RFC 6749, section 3.1).
 */
export function matchAnswer(parameters: URLSearchParams, state: string): boolean {
  const isOnce = [...new Set(parameters.keys())].every((name) => parameters.getAll(name).length === 1)
  const isAnswer = parameters.has('code') !== parameters.has('error')
  return isOnce && isAnswer && isSame(parameters.get('state') ?? '', state)
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return expected !== '' && timingSafeEqual(digest(given), digest(expected))
}
