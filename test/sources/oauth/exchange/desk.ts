import { createLocalJWKSet } from 'jose'
import type { HelperError } from '../../../../src/runtime/failure.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { ExchangeSettings } from '../../../../src/sources/oauth/exchange/exchange-settings.ts'
import { exchangeSubject } from '../../../../src/sources/oauth/exchange/exchange-subject.ts'
import type { ExchangeRules } from '../../../stand-ins/identity/exchange-rules.ts'
import { type ExchangeServer, startExchangeServer } from '../../../stand-ins/identity/exchange-server.ts'
import { type Claims, createIdentityProvider, issuer } from '../../../stand-ins/identity/identity-provider.ts'
import { startParts } from '../made-up-parts.ts'

/** A server that exchanges a person's tokens, and a sign-in that gives them one after the other. */
interface ExchangeDesk extends AsyncDisposable {
  readonly server: ExchangeServer
  /** The tokens of the sign-in: the first, then those that renewals give. */
  readonly tokens: string[]
  readonly warnings: string[]
  /** The claims of the token that came, or the failure as kind, message and hint. */
  exchange(settings: ExchangeSettings, env?: Readonly<Record<string, string>>): Promise<unknown>
}

/** @param claims Of each token of the sign-in. */
export async function startDesk(
  rules: Partial<Omit<ExchangeRules, 'signingKey'>> = {},
  claims: readonly Claims[] = [{}],
): Promise<ExchangeDesk> {
  const provider = await createIdentityProvider()
  const trusted = { issuer, keys: createLocalJWKSet(provider.jwks) }
  const server = await startExchangeServer({ trusted, ...rules })
  const tokens = await Promise.all(claims.map((own) => provider.sign({ aud: 'desk', sub: 'alice', ...own })))
  const warnings: string[] = []
  return {
    server,
    tokens,
    warnings,
    exchange: async (settings, env = {}) => {
      const clock = { now: Date.now, startedAt: Date.now(), elapsedMs: () => 0 }
      const { host, call } = await startParts({ clock, env })
      const ownCall = { ...call, warn: (message: string) => warnings.push(message) }
      const later = tokens.values()
      const next = async () => {
        const { value } = later.next()
        return value === undefined ? undefined : new Secret(value)
      }
      const supply = { name: 'the ID token', obtain: async () => (await next())!, renew: next }
      try {
        const { granted } = await exchangeSubject(settings, supply, { host, call: ownCall })
        return parsePayload(granted.token.reveal())
      } catch (error) {
        const { kind, message, hint } = error as HelperError
        const { host: own } = new URL(server.tokenUrl)
        return [kind, message.replaceAll(own, 'AS'), hint.replaceAll(own, 'AS')]
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function parsePayload(token: string): Record<string, unknown> {
  const {
    iat: _,
    exp: __,
    jti: ___,
    ...claims
  } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return claims
}
