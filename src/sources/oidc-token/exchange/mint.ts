import type { MintCall, MintedToken } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import { toClaimFacts } from '../../claim-facts.ts'
import { exchangeSubject } from '../../oauth/exchange/exchange-subject.ts'
import type { Granted } from '../../oauth/exchange/send-grant.ts'
import type { ExchangeSettings } from '../../oauth/exchange/settings.ts'
import type { ExchangePlan } from '../settings/plan-exchange.ts'
import { computeExpiry } from './compute-expiry.ts'
import { exchangeAtPlatform } from './exchange-at-platform.ts'
import { createSignInSupply, type ExchangeSource, type SignInSupply } from './sign-in-supply.ts'

/** What an exchange needs of its run. */
interface MintParts {
  readonly host: Host
  readonly call: MintCall
}

/** Mints the token that a person's token is exchanged for. @throws {HelperError} */
export async function mintByExchange(
  source: ExchangeSource,
  { settings }: ExchangePlan,
  { host, call }: MintParts,
): Promise<MintedToken> {
  const supply = createSignInSupply(source, { host, call })
  const { wantedFacts: wanted } = call
  if (settings.form === 'platform') {
    const minted = await exchangeAtPlatform(settings, supply, { host, call })
    return { ...minted, facts: { ...toPersonFacts(supply, source, undefined), ...minted.facts } }
  }
  const { granted } = await exchangeSubject(settings, supply, { host, call })
  warnOfScope(granted, settings, call)
  const { token, clockOffsetMs } = granted
  const claims = parseJwt(token.reveal())?.claims
  const claimFacts = claims && toClaimFacts(claims, wanted, 'the token that was issued')
  return {
    ...{ token, clockOffsetMs },
    expiresAt: computeExpiry(granted, claims),
    facts: { ...toPersonFacts(supply, source, claims ? undefined : wanted), ...claimFacts },
  }
}

/** What is known of the person; claims only where the issued token has none that can be read. */
function toPersonFacts(supply: SignInSupply, source: ExchangeSource, wanted: ReadonlySet<string> | undefined) {
  const signIn = supply.last()
  return signIn ? source.toFacts(signIn, wanted) : {}
}

/** A server states the scope where it grants another one than was asked for (RFC 6749, section 5.1). */
function warnOfScope({ scope: granted }: Granted, { scope: asked }: ExchangeSettings, call: MintCall): void {
  if (granted === undefined || asked === undefined) return
  const names = granted.split(' ')
  const missing = asked.split(' ').filter((name) => !names.includes(name))
  if (missing.length > 0)
    call.warn(`the server granted less than exchange-scope asks for: without ${missing.join(' ')}`)
}
