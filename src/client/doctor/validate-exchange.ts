import { exchangeLimits } from '../../contract/http-api.ts'
import { type ExchangeCheck, renderClaim } from './exchange-check.ts'
import { type Clocks, validateClocks } from './validate-clocks.ts'

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
  if (!jwt) return [{ what: 'form', status: 'unmet', message: 'it is no JWT', hint: 'name the source of a JWT' }]
  const { claims } = jwt
  return [
    validateForm(jwt.header, facts.bytes),
    ...validateClocks(claims, facts),
    validateRepetition(claims, facts),
    validateAudience(claims, facts.settings),
    createUnknown('sub', `it is about ${renderClaim(claims.sub)}; the rule says whom it takes`),
    createUnknown('iss', `it is from ${renderClaim(claims.iss)}; the platform must know that issuer, letter by letter`),
    ...validateSettings(facts.settings),
    createUnknown('signature', `only who has the issuer's keys can verify it (key ${renderClaim(jwt.header.kid)})`),
  ]
}

function createUnknown(what: string, message: string): ExchangeCheck {
  return { what, status: 'unknown', message }
}

/** With a shared key, whoever verifies could also sign. */
function validateForm({ alg }: Claims, bytes: number): ExchangeCheck {
  const limit = exchangeLimits.assertionBytes
  const message = `a JWT of ${bytes} bytes, signed with ${renderClaim(alg)}`
  if (/^(none|HS\d+)$/i.test(String(alg ?? 'none')))
    return {
      what: 'form',
      status: 'unmet',
      message,
      hint: 'have the identity provider sign with a key pair, such as ES256',
    }
  if (bytes <= limit) return { what: 'form', status: 'met', message }
  return { what: 'form', status: 'unmet', message: `${message}; at most ${limit}`, hint: 'ask for fewer claims in it' }
}

function validateRepetition({ jti }: Claims, { supply, use }: ExchangeFacts): ExchangeCheck {
  if (use === 'exchanged from here')
    return {
      what: 'jti',
      status: 'unmet',
      message: 'it was exchanged already from this machine, and may be good for one exchange only',
      hint: 'have the identity token renewed, or use a source that makes a new one each time',
    }
  if (jti === undefined) return { what: 'jti', status: 'met', message: 'it has none, so it may be exchanged again' }
  if (supply === 'new each time')
    return {
      what: 'jti',
      status: 'met',
      message: 'it is good for one exchange, and the source makes a new one each time',
    }
  const message = 'it is good for one exchange, and the source hands out the one that lies there: it may have been used'
  return createUnknown('jti', `${message}; have it renewed, then try again`)
}

function validateAudience({ aud }: Claims, { audience }: ExchangeSettings): ExchangeCheck {
  const message = `it is for ${renderClaim(aud)}`
  if (aud === undefined)
    return { what: 'aud', status: 'unmet', message, hint: 'have the identity provider name the audience of the rule' }
  if (audience === undefined || [aud].flat().includes(audience))
    return createUnknown('aud', `${message}; the rule says for whom`)
  return {
    what: 'aud',
    status: 'unmet',
    message: `${message}, and the helper is told ${renderClaim(audience)}`,
    hint: `have the identity token made for ${renderClaim(audience)}, or correct the option audience`,
  }
}

function validateSettings(settings: ExchangeSettings): ExchangeCheck[] {
  const { organizationId, federationRuleId, serviceAccountId, workspaceId } = settings
  const named = "not named, so the rule's"
  return [
    createUnknown('organization', organizationId),
    createUnknown('federation rule', federationRuleId),
    createUnknown('service account', serviceAccountId ?? named),
    createUnknown('workspace', workspaceId ?? named),
  ]
}
