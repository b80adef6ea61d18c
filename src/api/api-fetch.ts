import type { AuthScheme, Headers } from '../contract/headers.ts'
import type { BetaFeature } from '../contract/http-api.ts'
import { createRetryingFetch } from '../runtime/network/retrying-fetch.ts'
import type { NetworkSettings } from '../runtime/network/settings.ts'
import { createStreamFetch } from '../runtime/network/stream-fetch.ts'
import type { Secret } from '../runtime/secret.ts'

/** How long the API may be silent by default, in seconds. Our decision: most answers begin sooner, and streams carry pings. */
export const defaultSilenceSec = 60

/** The longest silence that may be asked for, in seconds: a day. Our decision. */
export const longestSilenceSec = 86_400

/**
 * Sends requests over our network: through proxies, with the configured certificate authorities, over `https` except to this
 * machine, and with retries where a request cannot take effect twice. Bodies are streamed.
 */
export function createApiFetch({ network, silenceSec = defaultSilenceSec }: ApiNetwork): SendRequest {
  return createRetryingFetch(createStreamFetch({ network, silenceSec }), silenceSec)
}

/** How requests to the API are sent. */
interface ApiNetwork {
  readonly network: NetworkSettings
  /** How long the API may be silent, and the longest pause that it may ask for. */
  readonly silenceSec?: number
}

/** The headers that authorize a request, and the workspace header that some credentials need. */
export interface ApiCredential {
  readonly token: Secret
  readonly scheme: AuthScheme
  readonly headers: Headers
}

/** The source of the credentials that authorize requests. */
export interface ApiCredentialSource {
  current(): Promise<ApiCredential>
  /** Another credential after a 401, obtained in the context `mid-session-refresh`; `undefined` if there is none. */
  renew(): Promise<ApiCredential | undefined>
}

/** Sends a request: `createApiFetch`, or any function in the form of `fetch` that follows no redirect. */
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>

/** One request and its answer, for `--verbose`; the credential is hidden in it. */
export interface HttpExchange {
  readonly method: string
  readonly url: string
  readonly sent: Headers
  readonly status: number
  readonly received: Headers
}

/** How the API is reached, and with which credential. */
export interface ApiConnection {
  /** The address without the path that begins with `/v1`. */
  readonly baseUrl: string
  readonly credentials: ApiCredentialSource
  readonly fetch: SendRequest
  /** Sent as the header of a workspace, for a credential that can act in several workspaces. */
  readonly workspaceId?: string | undefined
  /** Beta features besides those that an endpoint requires. */
  readonly betas?: readonly BetaFeature[]
  readonly onExchange?: (exchange: HttpExchange) => void
}
