import { exchangeLimits } from '../../contract/http-api.ts'
import { type ExchangeCheck, quoteClaim } from './exchange-check.ts'
import { type Clocks, validateClocks } from './judge-clocks.ts'

/** An identity token as it can be read without its key, and what it was to be exchanged under. */
export interface ExchangeFacts extends Clocks {
  readonly bytes: number
  /** `undefined` for what is no JWT. */
  readonly jwt: { readonly header: Claims; readonly claims: Claims } | undefined
  readonly settings: ExchangeSettings
  /** Whether the source makes a token for each run, or hands out the one that lies there. */
  readonly supply: 'new each time' | 'as it lies'
  /** Whether this user is known to have exchanged the token on this machine. */
  readonly use: 'exchanged from here' | 'not known'
}

export interface ExchangeSettings {
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
  /** What the helper was told that the token must be for. */
  readonly audience: string | undefined
}

type Claims = Readonly<Record<string, unknown>>

/** Everything that a platform asks of an identity token, as far as it can be judged from here; likely causes first. */
export function validateExchange(facts: ExchangeFacts): ExchangeCheck[] {
  const { jwt } = facts
  if (!jwt) return [{ what: 'form', verdict: 'unmet', says: 'it is no JWT', way: 'name the source of a JWT' }]
  const { claims } = jwt
  return [
    validateForm(jwt.header, facts.bytes),
    ...validateClocks(claims, facts),
    validateRepetition(claims, facts),
    validateAudience(claims, facts.settings),
    unseen('sub', `it is about ${quoteClaim(claims.sub)}; the rule says whom it takes`),
    unseen('iss', `it is from ${quoteClaim(claims.iss)}; the platform must know that issuer, letter by letter`),
    ...validateSettings(facts.settings),
    unseen('signature', `only who has the issuer's keys can verify it (key ${quoteClaim(jwt.header.kid)})`),
  ]
}

function unseen(what: string, says: string): ExchangeCheck {
  return { what, verdict: 'unseen', says }
}

/** With a shared key, whoever verifies could also sign. */
function validateForm({ alg }: Claims, bytes: number): ExchangeCheck {
  const limit = exchangeLimits.assertionBytes
  const says = `a JWT of ${bytes} bytes, signed with ${quoteClaim(alg)}`
  if (/^(none|HS\d+)$/i.test(String(alg ?? 'none')))
    return {
      what: 'form',
      verdict: 'unmet',
      says,
      way: 'have the identity provider sign with a key pair, such as ES256',
    }
  if (bytes <= limit) return { what: 'form', verdict: 'met', says }
  return { what: 'form', verdict: 'unmet', says: `${says}; at most ${limit}`, way: 'ask for fewer claims in it' }
}

function validateRepetition({ jti }: Claims, { supply, use }: ExchangeFacts): ExchangeCheck {
  if (use === 'exchanged from here')
    return {
      what: 'jti',
      verdict: 'unmet',
      says: 'it was exchanged already from this machine, and may be good for one exchange only',
      way: 'have the identity token renewed, or use a source that makes a new one each time',
    }
  if (jti === undefined) return { what: 'jti', verdict: 'met', says: 'it has none, so it may be exchanged again' }
  if (supply === 'new each time')
    return {
      what: 'jti',
      verdict: 'met',
      says: 'it is good for one exchange, and the source makes a new one each time',
    }
  const says = 'it is good for one exchange, and the source hands out the one that lies there: it may have been used'
  return unseen('jti', `${says}; have it renewed, then try again`)
}

function validateAudience({ aud }: Claims, { audience }: ExchangeSettings): ExchangeCheck {
  const says = `it is for ${quoteClaim(aud)}`
  if (aud === undefined)
    return { what: 'aud', verdict: 'unmet', says, way: 'have the identity provider name the audience of the rule' }
  if (audience === undefined || [aud].flat().includes(audience)) return unseen('aud', `${says}; the rule says for whom`)
  return {
    what: 'aud',
    verdict: 'unmet',
    says: `${says}, and the helper is told ${quoteClaim(audience)}`,
    way: `have the identity token made for ${quoteClaim(audience)}, or correct the option audience`,
  }
}

function validateSettings(settings: ExchangeSettings): ExchangeCheck[] {
  const { organizationId, federationRuleId, serviceAccountId, workspaceId } = settings
  const named = "not named, so the rule's"
  return [
    unseen('organization', organizationId),
    unseen('federation rule', federationRuleId),
    unseen('service account', serviceAccountId ?? named),
    unseen('workspace', workspaceId ?? named),
  ]
}
