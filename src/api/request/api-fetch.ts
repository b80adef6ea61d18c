import { createRetryingFetch } from '../../runtime/network/fetch/retrying-fetch.ts'
import { createStreamFetch } from '../../runtime/network/fetch/stream-fetch.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import type { SendRequest } from './connection.ts'

/** How requests to the API are sent. */
interface ApiNetwork {
  readonly network: NetworkSettings
  /** How long the API may be silent, and the longest pause that it may ask for. */
  readonly silenceSec?: number
}

/** In seconds. Our decision: longer than most answers take to begin, and streams carry pings. */
export const defaultSilenceSec = 60

/**
 * Sends requests over our network: through proxies, with the configured certificate authorities, over `https` except to this
 * machine, and with retries where a request cannot take effect twice. Bodies are streamed.
 */
export function createApiFetch({ network, silenceSec = defaultSilenceSec }: ApiNetwork): SendRequest {
  return createRetryingFetch(createStreamFetch({ network, silenceSec }), silenceSec)
}
