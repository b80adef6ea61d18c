import { retryingFetch } from '../../runtime/network/fetch/retrying-fetch.ts'
import { streamFetch } from '../../runtime/network/fetch/stream-fetch.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import type { SendRequest } from './connection.ts'

export interface ApiNetwork {
  readonly network: NetworkSettings
  /** How long the API may be silent, and the longest pause that it may ask for. */
  readonly silenceSec?: number
}

/** Ours: longer than most answers take to begin, and streams carry pings. */
export const defaultSilenceSec = 60

/**
 * Sends requests over our network: proxies, certificate authorities, `https` beyond this machine, retries where nothing
 * can happen twice. Bodies are handed on as they come.
 */
export function apiFetch({ network, silenceSec = defaultSilenceSec }: ApiNetwork): SendRequest {
  return retryingFetch(streamFetch({ network, silenceSec }), silenceSec)
}
