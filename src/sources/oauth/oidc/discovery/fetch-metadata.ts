import { HelperError } from '../../../../runtime/failure.ts'
import { refusePlainHttp } from '../../../../runtime/network/loopback.ts'
import { parseObject } from '../../../../runtime/parse-object.ts'
import { describeProvider } from '../describe-provider.ts'
import type { ProviderMetadata } from '../provider.ts'
import type { ConnectionParts } from '../provider-parts.ts'
import type { OidcSettings } from '../settings.ts'
import { refuseNoAnswer } from './refuse-no-answer.ts'
import { refuseOtherIssuer } from './refuse-other-issuer.ts'
import { refuseUnusableMetadata } from './refuse-unusable-metadata.ts'

/** What is known of a provider: what its discovery document says, or the addresses that are set. */
export async function fetchMetadata(settings: OidcSettings, parts: ConnectionParts): Promise<ProviderMetadata> {
  const { issuer, authorizationUrl, tokenUrl, deviceAuthorizationUrl } = settings
  if (issuer !== undefined) return fetchDiscovery(issuer, settings, parts)
  for (const address of [authorizationUrl, tokenUrl, deviceAuthorizationUrl]) if (address) refuseAddress(address)
  return {
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    device_authorization_endpoint: deviceAuthorizationUrl,
    id_token_signing_alg_values_supported: signatureAlgorithms,
  }
}

/**
 * What an ID token may be signed with where no metadata says so: signatures by a key of the provider. Without discovery its keys
 * are not known and the signature is not verified, which OpenID Connect Core, section 3.1.3.7, rule 6, permits for a token that
 * comes over TLS from the token endpoint itself. `none` is refused even so, and so is a signature by a secret, which this client
 * does not have. Its `aud`, `azp`, `exp`, `nbf`, `nonce` and `sub` are checked; `iss` only against the `iss` that the browser
 * brought back (RFC 9207), where there is one, and later against that of the ID token before.
 */
const signatureAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'],
]

/** OpenID Connect Discovery 1.0, section 4. */
async function fetchDiscovery(
  issuer: string,
  settings: OidcSettings,
  { call, fetch }: ConnectionParts,
): Promise<ProviderMetadata> {
  refuseAddress(issuer)
  const name = describeProvider({ issuer })
  const url = `${issuer.replace(/\/$/, '')}${wellKnown}`
  const response = await fetch(call, { name, url }, { headers: { accept: 'application/json' } })
  const { status } = response
  if (status === 400 || status === 404 || status === 410) throw toNoDocument(url, name, status)
  refuseNoAnswer(response, name)
  const metadata = status === 200 ? parseObject(await response.text()) : undefined
  if (!metadata) throw toNoDocument(url, name, status)
  refuseOtherIssuer(metadata.issuer, issuer, name)
  refuseUnusableMetadata(metadata, settings, name)
  return metadata
}

const wellKnown = '/.well-known/openid-configuration'

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
    url.endsWith(wellKnown + wellKnown)
      ? `write issuer without ${wellKnown}`
      : 'correct issuer, or set the authorization URL and the token URL in its place',
  )
}
