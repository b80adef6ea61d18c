import { metadataPaths } from '../../../contract/oauth-names.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { isPlainLoopback, isSecureAddress, refusePlainHttp } from '../../../runtime/network/addresses.ts'
import {
  againHint,
  isBusyStatus,
  isPageType,
  isRedirectStatus,
  toBusyFailure,
} from '../../../runtime/network/network-failure.ts'
import { parseRetryAfter } from '../../../runtime/network/retry-policy.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { describeProvider } from './describe-provider.ts'
import { fetchWithinOrigin } from './fetch-within-origin.ts'
import type { OidcSettings } from './oidc-settings.ts'
import type { ConnectionParts, ProviderMetadata } from './provider.ts'

/** Fetches the metadata of a provider: its discovery document, or without an issuer the configured addresses. */
export async function fetchMetadata(settings: OidcSettings, parts: ConnectionParts): Promise<ProviderMetadata> {
  const { issuer, authorizationUrl, tokenUrl, deviceAuthorizationUrl, revocationUrl } = settings
  if (issuer !== undefined) return fetchDiscovery(issuer, settings, parts)
  for (const address of [authorizationUrl, tokenUrl, deviceAuthorizationUrl, revocationUrl])
    if (address) refuseAddress(address)
  return {
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    device_authorization_endpoint: deviceAuthorizationUrl,
    revocation_endpoint: revocationUrl,
    id_token_signing_alg_values_supported: signatureAlgorithms,
  }
}

/**
 * The algorithms that may sign an ID token if no metadata lists them: those with a key pair of the provider. Without discovery, the keys
 * are not known and the signature is not verified, which OpenID Connect Core, section 3.1.3.7, rule 6, permits for a token that comes over
 * TLS from the token endpoint itself. `none` is refused even then, and so is a signature with a secret, which this client does not have.
 * `aud`, `azp`, `exp`, `nbf`, `nonce` and `sub` are validated; `iss` is only compared with the `iss` in the redirect (RFC 9207), if there
 * is one, and later with that of the previous ID token.
 */
const signatureAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'],
]

/**
 * Fetches the discovery document (OpenID Connect Discovery 1.0, section 4). It may be anywhere within the origin, but has to name the
 * configured issuer.
 */
async function fetchDiscovery(
  issuer: string,
  settings: OidcSettings,
  parts: ConnectionParts,
): Promise<ProviderMetadata> {
  refuseAddress(issuer)
  const name = describeProvider({ issuer })
  const url = `${issuer.replace(/\/$/, '')}${metadataPaths.openid}`
  const { response, elsewhere } = await fetchWithinOrigin(parts, { name, url })
  const { status } = response
  if (elsewhere !== undefined) throw toMoved(elsewhere, { asked: url, name, status })
  if (status === 400 || status === 404 || status === 410) throw toNoDocument(url, name, status)
  refuseNoAnswer(response, name)
  const metadata = status === 200 ? parseObject(await response.text()) : undefined
  if (!metadata) throw toNoDocument(url, name, status)
  refuseOtherIssuer(metadata.issuer, issuer, name)
  refuseUnusableMetadata(metadata, settings, name)
  return metadata
}

/**
 * Creates the failure for a document at another origin, which belongs to another issuer. Only the administrator can decide whether that
 * issuer is the right one.
 */
function toMoved(
  target: string,
  { asked, name, status }: { readonly asked: string; readonly name: string; readonly status: number },
): HelperError {
  const message = `${name} redirects the request for its description to ${target}, which is not followed (HTTP ${status})`
  if (!target.endsWith(metadataPaths.openid) || target === asked)
    return new HelperError('unavailable', message, interceptionHint)
  const hint = `set issuer to ${target.slice(0, -metadataPaths.openid.length)} if that is your organization's; otherwise report this to whoever runs ${name}`
  return new HelperError('not-configured', message, hint)
}

function refuseAddress(address: string): void {
  if (!URL.canParse(address))
    throw new HelperError(
      'not-configured',
      'an address of the identity provider is not a URL',
      'write issuer, or the authorization and token URLs, in full, with https://',
    )
  refusePlainHttp(new URL(address))
}

function toNoDocument(url: string, name: string, status: number): HelperError {
  return new HelperError(
    'not-configured',
    `${name} has no description of an OpenID provider at ${url} (HTTP ${status})`,
    url.endsWith(metadataPaths.openid + metadataPaths.openid)
      ? `write issuer without ${metadataPaths.openid}`
      : 'correct issuer, or set the authorization URL and the token URL in its place',
  )
}

/** The hint for an answer that cannot come from the provider. */
export const interceptionHint =
  'find out what answers instead of the identity provider: a sign-in page of the network, or a proxy'

/**
 * Refuses a response that is not an answer: from a provider that is busy or broken, a redirect, or a web page.
 * @throws {HelperError} `unavailable`
 */
export function refuseNoAnswer({ status, headers }: Pick<Response, 'status' | 'headers'>, name: string): void {
  if (isBusyStatus(status))
    throw toBusyFailure(name, `HTTP ${status}`, {
      hint: toAgainHint(parseRetryAfter(headers.get('retry-after'), Date.now())),
    })
  const isRedirect = isRedirectStatus(status)
  if (!isRedirect && !isPageType(headers.get('content-type'))) return
  throw new HelperError(
    'unavailable',
    `${name} answered with ${isRedirect ? 'a redirect, which is not followed' : 'a web page'} (HTTP ${status})`,
    interceptionHint,
  )
}

/** Renders the hint for a busy provider, with the time of its `Retry-After` if there is one. */
function toAgainHint(pauseMs = 0): string {
  const minutes = Math.ceil(pauseMs / 60_000)
  return minutes <= 1 ? againHint : `try again in ${minutes} minutes, for which the provider asks`
}

/**
 * Refuses a discovery document of another issuer than the configured one. The two have to be exactly equal (OpenID Connect Discovery 1.0,
 * section 4.3), because a server that could answer for another issuer could sign in anybody.
 * @throws {HelperError} `not-configured` with the issuer to set, if the document names one.
 */
function refuseOtherIssuer(published: unknown, issuer: string, name: string): void {
  if (published === issuer) return
  const text = typeof published === 'string' ? published.slice(0, 200) : undefined
  const message =
    text === undefined ? `${name} does not say which issuer it is` : `${name} is the issuer ${text}, not ${issuer}`
  throw new HelperError('not-configured', message, toHint(text, issuer))
}

function toHint(published: string | undefined, issuer: string): string {
  if (published === undefined) return 'correct issuer, or report this to whoever runs the provider'
  // Entra's documents for several tenants name a template, but every token names the tenant of its person.
  if (published.includes('{tenantid}'))
    return `set issuer to that of your tenant: ${published.replace('{tenantid}', 'TENANT-ID')}, with its ID in place of TENANT-ID; common, organizations and consumers stand for more than one`
  if (published.replace(/\/$/, '') === issuer.replace(/\/$/, ''))
    return `set issuer to ${published}, to the letter: the slash at the end counts`
  // Azure AD B2C's issuer does not name the policy, so there is no document below it.
  if (URL.parse(issuer)?.hostname.endsWith('.b2clogin.com'))
    return 'set the authorization URL and the token URL of the policy in place of issuer, or have the policy name itself in its issuer (tfp)'
  return `set issuer to ${published} if that is your organization's; otherwise report this to whoever runs the provider`
}

/** The members with addresses that are used, if the provider has them. */
const addresses = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
  'revocation_endpoint',
] as const

/**
 * Refuses an unusable discovery document before anybody signs in with it: without a token endpoint, without keys although an ID token is
 * expected, or with an address that is not https. A provider on this machine does not need TLS.
 * @throws {HelperError} `refused`
 */
function refuseUnusableMetadata(
  metadata: ProviderMetadata,
  { issuer = '', bearerTokenType }: Pick<OidcSettings, 'issuer' | 'bearerTokenType'>,
  name: string,
): void {
  const required = ['token_endpoint', ...(bearerTokenType === 'id_token' ? ['jwks_uri'] : [])]
  const missing = required.find((member) => metadata[member] === undefined)
  if (missing !== undefined) throw toFailure(name, `lacks ${missing}`)
  const scope = isPlainLoopback(issuer) ? 'this machine' : 'network'
  const wrong = addresses.find((member) => metadata[member] !== undefined && !isUsable(metadata[member], scope))
  if (wrong !== undefined) throw toFailure(name, `names no https address as its ${wrong}`)
}

function toFailure(name: string, problem: string): HelperError {
  return new HelperError('refused', `the description of ${name} ${problem}`, `report this to whoever runs ${name}`)
}

function isUsable(address: unknown, scope: 'this machine' | 'network'): boolean {
  if (typeof address !== 'string' || !isSecureAddress(address)) return false
  return scope === 'this machine' || !isPlainLoopback(address)
}
