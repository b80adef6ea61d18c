import { tokenRevocation } from 'openid-client'
import type { Secret } from '../../../../runtime/secret.ts'
import { fetchAnswer } from './fetch-answer.ts'
import type { ProviderConnection } from './provider-connection.ts'
import { refuseRefusal } from './refuse-refusal.ts'

/** RFC 7009. A token that the provider no longer knows counts as revoked (section 2.2). */
export async function revokeToken(
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
      refuse: (answer) => refuseRefusal(answer, { where: 'revocation', settings }),
    },
    connection,
  )
  return 'revoked'
}
