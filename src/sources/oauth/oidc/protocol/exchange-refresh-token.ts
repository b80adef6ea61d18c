import { refreshTokenGrant } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import type { Secret } from '../../../../runtime/secret.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'
import { describeProvider } from '../describe-provider.ts'
import type { IssuedTokens } from '../tokens.ts'
import { toResource } from './exchange-code.ts'
import { fetchAnswer } from './fetch-answer.ts'
import { fetchKeys } from './fetch-keys.ts'
import type { ProviderConnection } from './provider-connection.ts'
import { refuseOtherPerson } from './refuse-other-person.ts'
import { refuseRefusal } from './refuse-refusal.ts'
import { type TokenResult, toIssuedTokens } from './to-issued-tokens.ts'

/** Redeems a refresh token, once. See `OidcProvider.refresh`. */
export async function exchangeRefreshToken(
  refreshToken: Secret,
  previous: IssuedTokens,
  connection: ProviderConnection,
): Promise<IssuedTokens> {
  const { settings } = connection
  const before = parseClaims(previous)
  const { result, answer } = await fetchAnswer<TokenResult>(
    {
      isValidOnce: true,
      keys: await fetchKeys(connection),
      make: (configuration) => refreshTokenGrant(configuration, refreshToken.reveal(), toResource(settings)),
      refuse: (answer) => refuseRefusal(answer, { where: 'token', grant: 'refresh_token', settings }),
      findIssuer: () => (typeof before?.iss === 'string' ? before.iss : undefined),
    },
    connection,
  )
  if (settings.bearerTokenType === 'id_token' && result.id_token === undefined) throw toNoNewIdToken(connection)
  const tokens = toIssuedTokens(result, answer, { settings })
  const after = result.claims()
  if (before && after) refuseOtherPerson(before, after, describeProvider(settings))
  return {
    ...tokens,
    idToken: tokens.idToken ?? previous.idToken,
    refreshToken: tokens.refreshToken ?? refreshToken,
    scope: tokens.scope ?? previous.scope,
  }
}

function parseClaims({ idToken }: IssuedTokens): Readonly<Record<string, unknown>> | undefined {
  return idToken && parseJwt(idToken.reveal())?.claims
}

/** OpenID Connect Core, section 12.2, lets a provider leave it out. */
function toNoNewIdToken({ settings }: ProviderConnection): HelperError {
  return new HelperError(
    'sign-in-required',
    `${describeProvider(settings)} renewed the sign-in without a new ID token, which the gateway is to get`,
    'sign in again; to be asked less often, have the provider issue ID tokens on refresh, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
  )
}
