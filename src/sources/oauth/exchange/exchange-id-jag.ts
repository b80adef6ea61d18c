import type { ExchangeParts, Subject } from './exchange-parts.ts'
import { toTargetParameters } from './exchange-token.ts'
import { readClient } from './read-client.ts'
import { resolveEndpoint } from './resolve-endpoint.ts'
import { type Granted, sendGrant } from './send-grant.ts'
import type { IdJagSettings } from './settings.ts'
import { grantTypes, toTokenType } from './token-types.ts'
import { findIssuer, validateIdJag } from './validate-id-jag.ts'

/**
 * Exchanges a person's ID token in the two steps of draft-ietf-oauth-identity-assertion-authz-grant. The person's token goes to
 * their provider only; the second server gets the ID-JAG.
 * @throws {HelperError}
 */
export async function exchangeIdJag(
  settings: IdJagSettings,
  { token, name }: Subject,
  parts: ExchangeParts,
): Promise<Granted> {
  // Resolved first: an ID-JAG is valid for minutes, and none is asked for that could not be sent.
  const endpoint = await resolveEndpoint(settings.endpoint, parts.call)
  const client = await readClient(settings.client, parts.host)
  const provider = await resolveEndpoint(settings.provider.endpoint, parts.call)
  const { token: idJag } = await sendGrant(
    {
      endpoint: provider,
      client: await readClient(settings.provider.client, parts.host),
      parameters: [
        ['grant_type', grantTypes.tokenExchange],
        ['requested_token_type', toTokenType('id-jag')],
        ['audience', settings.audience],
        ...toTargetParameters(settings),
        ['subject_token', token],
        ['subject_token_type', toTokenType(settings.subject)],
      ],
      token: name,
      origin: 'sign-in',
      isIdempotent: true,
    },
    { type: toTokenType('id-jag'), use: 'assertion' },
    parts,
  )
  const expected = {
    host: provider.url.host,
    issuer: findIssuer(token.reveal()),
    audience: settings.issuer,
    clientId: settings.client.id,
  }
  const id = validateIdJag(idJag.reveal(), expected, parts.host.clock.now())
  return sendGrant(
    {
      endpoint,
      // Both have to name the same client (section 4.4.1), so that what the ID-JAG says need not be set.
      client: { ...client, id },
      parameters: [
        ['grant_type', grantTypes.jwtBearer],
        ['assertion', idJag],
      ],
      token: `the ID-JAG that ${provider.url.host} issued`,
      origin: 'exchange',
      isIdempotent: false,
    },
    { use: 'bearer' },
    parts,
  )
}
