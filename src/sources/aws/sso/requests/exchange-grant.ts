import { HelperError } from '../../../../runtime/failure.ts'
import type { Host } from '../../../../runtime/host.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { interceptionHint } from '../../sdk/interception-hint.ts'
import type { SsoClient, SsoToken } from '../files/token-file.ts'
import { type OidcParts, sendOidc } from './send-oidc.ts'
import { describeService } from './send-sso.ts'

/** What is exchanged for a token, as the members of the request. */
export type TokenGrant =
  | { readonly grantType: 'refresh_token'; readonly refreshToken: Secret }
  | { readonly grantType: 'urn:ietf:params:oauth:grant-type:device_code'; readonly deviceCode: Secret }
  | {
      readonly grantType: 'authorization_code'
      readonly code: Secret
      readonly codeVerifier: Secret
      readonly redirectUri: string
    }

/**
 * Exchanges a grant for a new token.
 * @throws {OidcRefusal} for a refusal; `HelperError` where nothing of AWS answered in time.
 */
export async function exchangeGrant(
  grant: TokenGrant,
  client: SsoClient,
  parts: OidcParts & { readonly host: Pick<Host, 'clock'> },
): Promise<SsoToken> {
  const revealed = Object.entries(grant).map(([name, value]: [string, string | Secret]) => [
    name,
    value instanceof Secret ? value.reveal() : value,
  ])
  const members = { clientId: client.id, clientSecret: client.secret.reveal(), ...Object.fromEntries(revealed) }
  const { accessToken, expiresIn, refreshToken } = await sendOidc('CreateToken', members, parts)
  if (typeof accessToken !== 'string' || accessToken === '' || typeof expiresIn !== 'number')
    throw new HelperError('unavailable', `${describeService(parts.region)} answered without a token`, interceptionHint)
  return {
    accessToken: new Secret(accessToken),
    expiresAt: parts.host.clock.now() + expiresIn * 1000,
    refreshToken: typeof refreshToken === 'string' ? new Secret(refreshToken) : undefined,
    client,
    region: parts.region,
  }
}
