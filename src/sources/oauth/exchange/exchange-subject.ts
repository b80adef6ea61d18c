import type { Secret } from '../../../runtime/secret.ts'
import { GrantRefusal } from './describe-refusal.ts'
import { exchangeIdJag } from './exchange-id-jag.ts'
import type { ExchangeParts, Subject, SubjectSupply } from './exchange-parts.ts'
import { exchangeJwt, exchangeToken } from './exchange-token.ts'
import type { Granted } from './send-grant.ts'
import type { ExchangeSettings } from './settings.ts'

/** A person's token, and the token that was issued for it. */
interface Exchange {
  readonly subject: Secret
  readonly granted: Granted
}

/**
 * Exchanges a person's token. Where the server refuses that token, the sign-in is renewed once and the new token is sent: a
 * provider may have ended the old one early, or the server takes each one once.
 * @throws {HelperError} of the last exchange, or of the supply.
 */
export async function exchangeSubject(
  settings: ExchangeSettings,
  supply: SubjectSupply,
  parts: ExchangeParts,
): Promise<Exchange> {
  const exchange = async (subject: Secret): Promise<Exchange> => {
    const granted = await exchangeOneToken(settings, { token: subject, name: supply.name }, parts)
    return { subject, granted }
  }
  const subject = await supply.obtain()
  try {
    return await exchange(subject)
  } catch (error) {
    const isTokenRefused = error instanceof GrantRefusal && error.isTokenRefused
    const fresh = isTokenRefused ? await supply.renew(subject) : undefined
    if (fresh === undefined) throw error
    return exchange(fresh)
  }
}

function exchangeOneToken(settings: ExchangeSettings, subject: Subject, parts: ExchangeParts): Promise<Granted> {
  switch (settings.form) {
    case 'token-exchange':
      return exchangeToken(settings, subject, parts)
    case 'jwt-bearer':
      return exchangeJwt(settings, subject, parts)
    case 'id-jag':
      return exchangeIdJag(settings, subject, parts)
  }
}
