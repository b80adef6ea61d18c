import { metadataPaths } from '../../../contract/oauth-names.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { isWebAddress, refusePlainHttp } from '../../../runtime/network/addresses.ts'
import { fetchInTime } from '../../../runtime/network/fetch-in-time.ts'
import { isBusyStatus, toBusyFailure } from '../../../runtime/network/network-failure.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { fetchWithinOrigin } from '../oidc/fetch-within-origin.ts'
import type { TokenEndpoint } from './encode-request.ts'
import type { EndpointSetting } from './exchange-settings.ts'
import { parseSecureAddress } from './parse-address.ts'

/**
 * Fetches the token endpoint: the configured address, or for an issuer the one in the server's metadata.
 * @throws {HelperError} for an address to which no secret may be sent, and for metadata that cannot be used.
 */
export async function fetchTokenEndpoint(setting: EndpointSetting, call: NetworkCall): Promise<TokenEndpoint> {
  if ('url' in setting) return { url: parseSecureAddress(setting.url, setting.setting), setting: setting.setting }
  const issuer = parseSecureAddress(setting.issuer, setting.setting)
  for (const url of listMetadataUrls(issuer)) {
    const text = await fetchMetadata(url, setting, call)
    if (text !== undefined) return parseMetadata(text, setting)
  }
  throw new HelperError(
    'unavailable',
    `${issuer.host} has no metadata that names its token endpoint`,
    `correct ${setting.setting}${setting.setting === 'exchange-issuer' ? ', or set exchange-url to the token endpoint' : ''}`,
  )
}

/** Lists the addresses of metadata: RFC 8414, section 3.1, then OpenID Connect Discovery 1.0, section 4.1. */
function listMetadataUrls({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string[] {
  const path = pathname.replace(/\/$/, '')
  return [`${origin}${metadataPaths.oauth}${path}`, `${origin}${path}${metadataPaths.openid}`]
}

/** Fetches metadata; `undefined` if there is none at this address. */
async function fetchMetadata(
  url: string,
  { setting }: EndpointSetting,
  call: NetworkCall,
): Promise<string | undefined> {
  const { host } = new URL(url)
  const from = { name: `the metadata of ${host}`, url }
  const { response, elsewhere } = await fetchWithinOrigin({ call, fetch: fetchInTime }, from)
  if (response.ok) return response.text()
  const answer = `HTTP ${response.status}`
  if (isBusyStatus(response.status)) throw toBusyFailure(host, answer)
  if (response.status >= 400) return undefined
  const target = elsewhere === undefined ? '' : ` to ${elsewhere}`
  throw new HelperError(
    'unavailable',
    `${host} redirects the request for its metadata${target}, which is not followed (${answer})`,
    `set ${setting} to the issuer as the server itself writes it`,
  )
}

/**
 * Parses the metadata of a server (RFC 8414, section 3.2).
 * @throws {HelperError} `unavailable` for metadata of another issuer (section 3.3) or without a usable token endpoint.
 */
export function parseMetadata(
  text: string,
  { issuer, setting }: { readonly issuer: string; readonly setting: string },
): TokenEndpoint {
  const metadata = parseObject(text)
  const { host } = new URL(issuer)
  const toFailure = (problem: string, hint: string) =>
    new HelperError('unavailable', `the metadata of ${host} ${problem}`, hint)
  if (!metadata) throw toFailure('is not a JSON object', `check that ${setting} is the issuer of the server`)
  if (metadata.issuer !== issuer)
    throw toFailure(
      `is that of ${describeIssuer(metadata.issuer)}, not of "${issuer}"`,
      `set ${setting} to the issuer exactly as the server writes it, if that is the right one`,
    )
  const endpoint = metadata.token_endpoint
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
  if (!isWebAddress(url)) throw toFailure('names no token endpoint', endpointHint)
  refusePlainHttp(url)
  // Any user of this machine could listen at a plain http address, so only a server on this machine may name one.
  if (url.protocol === 'http:' && new URL(issuer).protocol === 'https:')
    throw toFailure('names no https address as its token endpoint', endpointHint)
  const methods = metadata.token_endpoint_auth_methods_supported
  return {
    url,
    setting,
    authMethods: Array.isArray(methods) ? methods.filter((name) => typeof name === 'string') : undefined,
  }
}

const endpointHint = 'set exchange-url to the token endpoint'

function describeIssuer(issuer: unknown): string {
  return typeof issuer === 'string' ? `"${issuer.slice(0, 200)}"` : 'no issuer'
}
