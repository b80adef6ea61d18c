// The issuers whose identity tokens the stand-in accepts, and the rules of the exchange.

import type { JSONWebKeySet, JWTPayload } from 'jose'
import { exchangeLimits } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import { isPatternMatch } from '../../runtime/text/star-pattern.ts'
import { programName } from '../../version.ts'
import type { State } from '../store/state.ts'
import { refuseUnreachable, requireIdentity } from './platform-identities.ts'

/**
 * Finds the first claim that does not match its pattern; `undefined` if all match. The audience is not checked here, but together with the
 * signature.
 */
export function findUnmetClaim({ subject, claims }: RuleConditions, payload: JWTPayload): string | undefined {
  const patterns = Object.entries({ ...claims, sub: subject })
  return patterns.find(
    ([name, pattern]) => !isMatch(pattern, Object.hasOwn(payload, name) ? payload[name] : undefined),
  )?.[0]
}

/**
 * Returns whether a claim matches a pattern, in which `*` stands for any text. One item of a list is enough; numbers and booleans match as
 * JSON text.
 */
export function isMatch(pattern: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isMatch(pattern, item))
  return ['string', 'number', 'boolean'].includes(typeof value) && isPatternMatch(pattern, String(value))
}

/** An identity provider whose tokens are accepted. Its keys are at a URL or stored here. */
export interface Issuer {
  readonly id: string
  /** The value of the claim `iss`. */
  readonly issuer: string
  readonly keys: { readonly url: string } | { readonly inline: JSONWebKeySet }
}

/** The claims that a token must have. In a pattern, `*` stands for any text. */
interface RuleConditions {
  readonly audience: string
  /** A pattern for the claim `sub`. */
  readonly subject: string
  /** Patterns by the name of the claim. If a claim is a list, one item must match. */
  readonly claims: Readonly<Record<string, string>>
}

/** A rule for the exchange of an issuer's tokens: which tokens it accepts, and which service account the access tokens belong to. */
export interface FederationRule {
  readonly id: string
  readonly issuerId: string
  readonly serviceAccountId: string
  /** The workspace of the access token, unless the exchange names another. */
  readonly workspaceId: string
  readonly conditions: RuleConditions
  readonly lifeSec: number
  /** Whether an identity token with a `jti` may be exchanged more than once (RFC 7523, section 3). */
  readonly identityReuse: IdentityReuse
}

/** Whether a rule permits a second exchange, with the values of the helper's option. */
export const identityReuses = ['never', 'allowed'] as const

export type IdentityReuse = (typeof identityReuses)[number]

/**
 * Registers an issuer and returns its ID.
 * @throws {HelperError} `usage` for keys that would be fetched over plain `http`.
 */
export function createIssuer(state: State, { issuer, keys }: Omit<Issuer, 'id'>): string {
  if ('url' in keys && !isSecureAddress(keys.url))
    throw new HelperError('usage', 'the keys must be fetched over https', 'name an https URL, or one on loopback')
  const id = state.createId('issuer')
  const [url, inline] = 'url' in keys ? [keys.url, null] : [null, JSON.stringify(keys.inline)]
  state.sql.run`INSERT INTO issuers VALUES (${id}, ${issuer}, ${url}, ${inline})`
  return id
}

/** Finds the issuer with this ID; its keys are either given inline or fetched from a URL. */
export function findIssuer({ sql }: State, id: string): Issuer | undefined {
  const row = sql.get`SELECT * FROM issuers WHERE id = ${id}`
  if (!row) return undefined
  const keys = row.jwks_url === null ? { inline: JSON.parse(String(row.jwks)) } : { url: String(row.jwks_url) }
  return { id, issuer: String(row.issuer), keys }
}

/** A rule to register. By default, an identity token with a `jti` is exchanged only once. */
type NewRule = Omit<FederationRule, 'id' | 'identityReuse'> & Partial<Pick<FederationRule, 'identityReuse'>>

/**
 * Registers a rule and returns its ID.
 * @throws {HelperError} `usage` for a rule under which no token could be issued.
 */
export function createRule(state: State, rule: NewRule): string {
  const { issuerId, serviceAccountId, workspaceId, conditions, lifeSec, identityReuse = 'never' } = rule
  if (!findIssuer(state, issuerId))
    throw new HelperError(
      'usage',
      'there is no such issuer',
      `register it; see: ${programName} gateway federation issuer --help`,
    )
  if (requireIdentity(state, serviceAccountId).kind !== 'service_account')
    throw new HelperError(
      'usage',
      'a rule can act only for a service account, not for a person',
      `create one; see: ${programName} gateway identities create --help`,
    )
  refuseUnreachable(state, serviceAccountId, workspaceId)
  const { shortestLifeSec, longestLifeSec } = exchangeLimits
  if (!Number.isInteger(lifeSec) || lifeSec < shortestLifeSec || lifeSec > longestLifeSec)
    throw new HelperError(
      'usage',
      `an access token cannot live ${lifeSec} s`,
      `choose ${shortestLifeSec} to ${longestLifeSec} seconds`,
    )
  const id = state.createId('rule')
  state.sql.run`INSERT INTO rules VALUES
    (${id}, ${issuerId}, ${serviceAccountId}, ${workspaceId}, ${JSON.stringify(conditions)}, ${lifeSec},
    ${identityReuse})`
  return id
}

export function findRule({ sql }: State, id: string): FederationRule | undefined {
  const row = sql.get`SELECT * FROM rules WHERE id = ${id}`
  return row && toRule(row)
}

/** Lists the rules, oldest first: IDs sort by their time. */
export function listRules({ sql }: State): FederationRule[] {
  return sql.all`SELECT * FROM rules ORDER BY id`.map(toRule)
}

function toRule(row: Readonly<Record<string, unknown>>): FederationRule {
  return {
    id: String(row.id),
    issuerId: String(row.issuer_id),
    serviceAccountId: String(row.service_account_id),
    workspaceId: String(row.workspace_id),
    conditions: JSON.parse(String(row.conditions)),
    lifeSec: Number(row.life_sec),
    identityReuse: row.identity_reuse as IdentityReuse, // the schema permits only these values
  }
}
