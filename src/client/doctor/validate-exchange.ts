import { exchangeLimits } from '../../contract/http-api.ts'
import { type ExchangeCheck, renderClaim } from './exchange-check.ts'
import { type Clocks, validateClocks } from './validate-clocks.ts'

/** What an identity token says, unverified, and the settings of its exchange. */
interface ExchangeFacts extends Clocks {
  readonly bytes: number
  /** `undefined` if the token is no JWT. */
  readonly jwt: { readonly header: Claims; readonly claims: Claims } | undefined
  readonly settings: ExchangeSettings
  /** Whether the source creates a token for each run, or returns a stored one. */
  readonly supply: 'created' | 'stored'
  /** Whether this user has exchanged the token on this machine, as far as that is recorded. */
  readonly use: 'exchanged' | 'unknown'
}

interface ExchangeSettings {
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
  /** The helper's option `audience`. */
  readonly audience: string | undefined
}

type Claims = Readonly<Record<string, unknown>>

/** Checks every condition of a token exchange as far as it can be checked from here, likely causes first; pure. */
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

/** Signatures with a shared key are refused: whoever could verify them could also create them. */
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
  if (use === 'exchanged')
    return {
      what: 'jti',
      status: 'unmet',
      message: 'it was exchanged already from this machine, and may be good for one exchange only',
      hint: 'have the identity token renewed, or use a source that creates a new one each time',
    }
  if (jti === undefined) return { what: 'jti', status: 'met', message: 'it has none, so it may be exchanged again' }
  if (supply === 'created')
    return {
      what: 'jti',
      status: 'met',
      message: 'it is good for one exchange, and the source creates a new one each time',
    }
  const message = 'it is good for one exchange, and the source returns a stored one, which may have been used'
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
