import { createPublicKey, type KeyObject, verify, type webcrypto } from 'node:crypto'
import { metadataPaths } from '../../src/contract/oauth-names.ts'
import { type Gateway, startGateway } from '../../src/gateway/start-gateway.ts'
import { parseJwt } from '../../src/runtime/tokens/jwt.ts'
import type { StandInProvider } from '../../test/stand-ins/provider/start-provider.ts'
import { startWithoutWarnings } from './without-warnings.ts'

/** An identity provider with people, and a gateway that accepts its ID tokens. */
export interface Organization extends AsyncDisposable {
  readonly provider: StandInProvider
  readonly gateway: Gateway
}

/** The key that the gateway accepts from a document with a static key. */
export const demoKey = 'sk-demo-1'

/** Starts the provider and the gateway. No person is asked for consent, as in an organization whose administrator has given it for all. */
export async function startOrganization(): Promise<Organization> {
  const provider = await startWithoutWarnings(async () => {
    const { startProvider } = await import('../../test/stand-ins/provider/start-provider.ts')
    const hour = 3600
    return startProvider({ consent: 'given', lifeSec: { idToken: hour, accessToken: hour, refreshToken: 24 * hour } })
  })
  const keys = await fetchKeys(provider.issuer)
  const gateway = await startGateway({
    verify: (token) =>
      token === demoKey || isOf(token, provider, keys) ? { ok: true } : { ok: false, reason: 'unknown' },
  })
  return {
    provider,
    gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway.close()
      await provider[Symbol.asyncDispose]()
    },
  }
}

async function fetchKeys(issuer: string): Promise<KeyObject[]> {
  const response = await fetch(`${issuer}${metadataPaths.openid}`)
  const { jwks_uri: address } = (await response.json()) as { jwks_uri: string } // our own provider's
  const { keys } = (await (await fetch(address)).json()) as { keys: webcrypto.JsonWebKey[] }
  return keys.map((key) => createPublicKey({ key, format: 'jwk' }))
}

/** Makes the checks that every gateway makes of an ID token, except the times, because the demo moves its clock. */
function isOf(token: string, { issuer, clientId }: StandInProvider, keys: readonly KeyObject[]): boolean {
  const { iss, aud } = parseJwt(token)?.claims ?? {}
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  // ES256, as this provider signs (RFC 7518, section 3.4).
  const isSigned = keys.some((key) =>
    verify('SHA256', Buffer.from(token.slice(0, end)), { key, dsaEncoding: 'ieee-p1363' }, signature),
  )
  return iss === issuer && aud === clientId && isSigned
}
