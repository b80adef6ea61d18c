// Folder: requests to a provider and the checks of its answers, over `openid-client`.

import { refreshTokenGrant, tokenRevocation } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { type Claims, parseClaims, parseJwt } from '../../../../runtime/tokens/jwt.ts'
import { readSecretFile } from '../../exchange/exchange-settings.ts'
import { describeProvider } from '../describe-provider.ts'
import { fetchMetadata } from '../fetch-provider-metadata.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { ConnectionParts, IssuedTokens, KeepSuccessor, OidcProvider } from '../provider.ts'
import { FaultyRenewalError, NoIdTokenError } from '../renewal-errors.ts'
import type { ProviderConnection } from './create-configuration.ts'
import { toResource } from './exchange-code.ts'
import { fetchAnswer, fetchKeys } from './fetch-answer.ts'
import { refuseErrorAnswer, refuseNoRenewal } from './refuse-error-answer.ts'
import { type TokenResult, toIssuedTokens } from './to-issued-tokens.ts'

/** Does the part of `openProvider` that uses openid-client: fetches the metadata, and returns the functions that renew and revoke. */
export async function connectProvider(
  settings: OidcSettings,
  parts: ConnectionParts,
): Promise<OidcProvider & { readonly connection: ProviderConnection }> {
  const { clientSecretFile: file } = settings
  const secret = file === undefined ? undefined : await readSecretFile(file, 'client-secret-file', parts.host)
  const metadata = await fetchMetadata(settings, parts)
  const connection = { settings, metadata, secret, parts }
  return {
    metadata,
    connection,
    refresh: (refreshToken, previous, keep) => exchangeRefreshToken({ refreshToken, previous, keep }, connection),
    revoke: (token, kind) => revokeToken(token, kind, connection),
  }
}

/** The arguments of `OidcProvider.refresh`. */
interface RefreshGrant {
  readonly refreshToken: Secret
  readonly previous: IssuedTokens
  readonly keep: KeepSuccessor
}

/** Redeems a refresh token, once. See `OidcProvider.refresh`. */
async function exchangeRefreshToken(refresh: RefreshGrant, connection: ProviderConnection): Promise<IssuedTokens> {
  let isIssued = false
  const noteIssue = () => {
    isIssued = true
  }
  try {
    return await sendGrant({ ...refresh, noteIssue }, connection)
  } catch (error) {
    if (!isIssued || !(error instanceof HelperError) || error.kind !== 'refused') throw error
    throw new FaultyRenewalError(error.kind, error.message, error.hint, { cause: error })
  }
}

async function sendGrant(
  { refreshToken, previous, keep, noteIssue }: RefreshGrant & { noteIssue(): void },
  connection: ProviderConnection,
): Promise<IssuedTokens> {
  const { settings, metadata } = connection
  const before = parseClaims(previous.idToken)
  const expected = { iss: metadata.issuer, aud: settings.clientId }
  const { result, answer } = await fetchAnswer<TokenResult>(
    {
      isValidOnce: true,
      keys: await fetchKeys(connection),
      make: (configuration) => refreshTokenGrant(configuration, refreshToken.reveal(), toResource(settings)),
      refuse: (answer) => refuseNoRenewal(answer, settings),
      keep: async ({ members }) => {
        noteIssue()
        const after = typeof members.id_token === 'string' ? parseJwt(members.id_token)?.claims : undefined
        if (after && isOfAnother(before ?? expected, after)) return
        const { refresh_token: successor = refreshToken.reveal() } = members
        if (typeof successor === 'string' && successor !== '') await keep(new Secret(successor))
      },
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

/**
 * Returns whether the ID token of a renewal names another person, client or issuer, by its unverified claims. A token without one of these
 * claims is faulty, but does not name anybody else.
 */
function isOfAnother(before: Claims, after: Claims): boolean {
  return identityClaims.some(
    (claim) => before[claim] !== undefined && after[claim] !== undefined && isOther(claim, before, after),
  )
}

const identityClaims = ['iss', 'sub', 'aud'] as const

function toNoNewIdToken({ settings }: ProviderConnection): NoIdTokenError {
  return new NoIdTokenError(
    'sign-in-required',
    `${describeProvider(settings)} renewed the sign-in without a new ID token, which the gateway needs`,
    'sign in again; to be asked less often, have the provider issue ID tokens on refresh, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
  )
}

/**
 * Compares the ID token of a renewal with the previous one (OpenID Connect Core, section 12.2).
 * @throws {HelperError} `refused` if it is about somebody else.
 */
function refuseOtherPerson(before: Claims, after: Claims, name: string): void {
  const different = [...identityClaims, 'nonce'].find((claim) => isOther(claim, before, after))
  if (different === undefined) return
  throw new HelperError(
    'refused',
    `${name} renewed the sign-in with an ID token that is not for the same person and client (${different})`,
    'sign in again; if that happens once more, report this to whoever runs the provider',
  )
}

/** Returns whether a claim has another value. An audience may be a string or a list; a later token may lack the sign-in's nonce. */
function isOther(claim: string, { [claim]: before }: Claims, { [claim]: after }: Claims): boolean {
  if (claim === 'nonce') return before !== undefined && after !== undefined && before !== after
  if (claim !== 'aud') return before !== after
  const [one, other] = [new Set([before].flat()), new Set([after].flat())]
  return one.size !== other.size || [...one].some((audience) => !other.has(audience))
}

/** Revokes a token (RFC 7009). A token that the provider no longer knows counts as revoked (section 2.2). */
async function revokeToken(
  token: Secret,
  kind: 'refresh_token' | 'access_token',
  connection: ProviderConnection,
): Promise<'revoked' | 'not offered'> {
  const { settings, metadata } = connection
  if (metadata.revocation_endpoint === undefined) return 'not offered'
  await fetchAnswer(
    {
      isValidOnce: false,
      make: (configuration) => tokenRevocation(configuration, token.reveal(), { token_type_hint: kind }),
      refuse: (answer) => refuseErrorAnswer(answer, { where: 'revocation', settings }),
    },
    connection,
  )
  return 'revoked'
}
