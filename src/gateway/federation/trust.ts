import type { JSONWebKeySet } from 'jose'
import { exchangeLimits } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isLoopback } from '../../runtime/network/loopback.ts'
import { detectAccess, resolveIdentity } from '../credentials/identities.ts'
import type { State } from '../store/state.ts'

/** An identity provider whose tokens are taken. Its keys come from a URL or stand here. */
export interface Issuer {
  readonly id: string
  /** As it stands in `iss`. */
  readonly issuer: string
  readonly keys: { readonly url: string } | { readonly inline: JSONWebKeySet }
}

/** What a token must say. `*` in a pattern stands for any text. */
export interface RuleConditions {
  readonly audience: string
  /** Pattern. */
  readonly subject: string
  /** Patterns by the name of the claim; of a claim that is a list, one item must fit. */
  readonly claims: Readonly<Record<string, string>>
}

/** Which tokens of an issuer become access tokens, and of whom. */
export interface Rule {
  readonly id: string
  readonly issuerId: string
  readonly serviceAccountId: string
  /** Where a request acts that names no workspace at the exchange. */
  readonly workspaceId: string
  readonly conditions: RuleConditions
  readonly lifeSec: number
}

/** @throws {HelperError} `usage` for keys that would come over plain `http`. */
export function createIssuer(state: State, { issuer, keys }: Omit<Issuer, 'id'>): string {
  if ('url' in keys && !isSecure(keys.url))
    throw new HelperError('usage', 'the keys must come over https', 'name an https URL, or one on loopback')
  const id = state.newId('issuer')
  const [url, inline] = 'url' in keys ? [keys.url, null] : [null, JSON.stringify(keys.inline)]
  state.sql.run`INSERT INTO issuers VALUES (${id}, ${issuer}, ${url}, ${inline})`
  return id
}

function isSecure(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

export function findIssuer({ sql }: State, id: string): Issuer | undefined {
  const row = sql.get`SELECT * FROM issuers WHERE id = ${id}`
  if (!row) return undefined
  const keys = row.jwks_url === null ? { inline: JSON.parse(String(row.jwks)) } : { url: String(row.jwks_url) }
  return { id, issuer: String(row.issuer), keys }
}

/** @throws {HelperError} `usage` for a rule that could never give a token. */
export function createRule(state: State, rule: Omit<Rule, 'id'>): string {
  const { issuerId, serviceAccountId, workspaceId, conditions, lifeSec } = rule
  if (!findIssuer(state, issuerId))
    throw new HelperError('usage', 'there is no such issuer', 'register it: gatepass gateway federation issuer')
  if (resolveIdentity(state, serviceAccountId).kind !== 'service_account')
    throw new HelperError('usage', 'a rule is for a service account', 'make one: gatepass gateway identities create')
  if (detectAccess(state, serviceAccountId, workspaceId) !== 'reachable')
    throw new HelperError(
      'usage',
      'the service account has no access to the workspace',
      'add it: gatepass gateway workspaces add',
    )
  const { shortestLifeSec, longestLifeSec } = exchangeLimits
  if (!Number.isInteger(lifeSec) || lifeSec < shortestLifeSec || lifeSec > longestLifeSec)
    throw new HelperError(
      'usage',
      `${lifeSec} s is no life for an access token`,
      `choose ${shortestLifeSec} to ${longestLifeSec} seconds`,
    )
  const id = state.newId('rule')
  state.sql.run`INSERT INTO rules VALUES
    (${id}, ${issuerId}, ${serviceAccountId}, ${workspaceId}, ${JSON.stringify(conditions)}, ${lifeSec})`
  return id
}

export function findRule({ sql }: State, id: string): Rule | undefined {
  const row = sql.get`SELECT * FROM rules WHERE id = ${id}`
  return row && toRule(row)
}

/** All of them, the oldest first. */
export function listRules({ sql }: State): Rule[] {
  return sql.all`SELECT * FROM rules ORDER BY id`.map(toRule)
}

function toRule(row: Readonly<Record<string, unknown>>): Rule {
  return {
    id: String(row.id),
    issuerId: String(row.issuer_id),
    serviceAccountId: String(row.service_account_id),
    workspaceId: String(row.workspace_id),
    conditions: JSON.parse(String(row.conditions)),
    lifeSec: Number(row.life_sec),
  }
}
