// Folder: requests: permitted hosts, proxies, TLS, bounds of the answer, and retries.

import { readBody } from './bounded-body.ts'
import { type FetchSettings, openResponse, toNetworkFailure, toResponse } from './open-response.ts'

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Creates a `fetch` over the configured network: proxy, certificate authorities and bounds apply, the body is read whole, and redirects are
 * not followed. A request is sent once, because only the caller knows whether it may be repeated.
 * @throws {HelperError} `unavailable` with the system's error as its cause, or the failure that the connection itself explains.
 */
export function createNetworkFetch(settings: FetchSettings): Fetch {
  return async (address, init) => {
    const url = new URL(address)
    try {
      const message = await openResponse(url, init, settings)
      settings.report(`reading the answer of ${url.host}`)
      const bytes = await readBody(message, url.host)
      return toResponse(url, message, Buffer.from(bytes))
    } catch (cause) {
      throw toNetworkFailure(url, cause)
    }
  }
}
