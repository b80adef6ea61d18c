import { HelperError } from '../../../../runtime/failure.ts'
import { isLoopback } from '../../../../runtime/network/loopback.ts'
import type { ProviderMetadata } from '../provider.ts'
import type { OidcSettings } from '../settings.ts'

/** The addresses that are used, where a provider has them. */
const addresses = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
  'revocation_endpoint',
] as const

/**
 * Refuses a discovery document before anybody signs in for nothing: without the token endpoint, without keys where an ID token is
 * wanted, or with an address that is no https address. A provider on this machine may do without TLS.
 * @throws {HelperError} `refused`
 */
export function refuseUnusableMetadata(
  metadata: ProviderMetadata,
  { issuer = '', bearerTokenType }: Pick<OidcSettings, 'issuer' | 'bearerTokenType'>,
  name: string,
): void {
  const required = ['token_endpoint', ...(bearerTokenType === 'id_token' ? ['jwks_uri'] : [])]
  const missing = required.find((member) => metadata[member] === undefined)
  if (missing !== undefined) throw toFailure(name, `lacks ${missing}`)
  const isHere = isPlainLoopback(issuer)
  const wrong = addresses.find((member) => metadata[member] !== undefined && !isUsable(metadata[member], isHere))
  if (wrong !== undefined) throw toFailure(name, `names no https address as its ${wrong}`)
}

function isUsable(address: unknown, isHere: boolean): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false
  return new URL(address).protocol === 'https:' || (isHere && isPlainLoopback(address))
}

function isPlainLoopback(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}

function toFailure(name: string, problem: string): HelperError {
  return new HelperError('refused', `the description of ${name} ${problem}`, `ask who runs ${name}`)
}
