// The exchange of identity tokens for access tokens at the stand-in.

import type { Context } from 'hono'
import type { JWTVerifyGetKey } from 'jose'
import * as z from 'zod'
import { exchangeLimits } from '../../contract/http-api.ts'
import { grantTypes } from '../../contract/oauth-names.ts'
import { type PlatformEnv, Refusal, readBody } from '../http/requests.ts'
import type { State } from '../store/state.ts'
import { issueToken } from './access-tokens.ts'
import { type FederationRule, findIssuer, findRule, type Issuer } from './federation-rules.ts'
import { detectAccess, requireIdentity } from './platform-identities.ts'
import { type AssertionClaims, clockSkewSec, verifyAssertion } from './verify-assertion.ts'

/** The longest request, in bytes: several times that of the longest assertion. Our decision. */
export const largestExchange = 1024 * 1024

/** Answers a token exchange (RFC 7523, section 2.1). Refusals have the form of RFC 6749, section 5.2. */
export async function answerExchange(request: Context<PlatformEnv>, parts: FederationParts): Promise<Response> {
  request.header('cache-control', 'no-store')
  const exchange = await readExchange(request)
  if ('refusal' in exchange) return reject(request, 'invalid_request', exchange.refusal)
  if (exchange.grant_type !== grantTypes.jwtBearer)
    return reject(request, 'unsupported_grant_type', `grant_type must be ${grantTypes.jwtBearer}`)
  if (Buffer.byteLength(exchange.assertion) > exchangeLimits.assertionBytes)
    return reject(request, 'invalid_request', `assertion is longer than ${exchangeLimits.assertionBytes} bytes`)
  const outcome = await issueGrant(parts, exchange)
  if ('granted' in outcome) return request.json(outcome.granted)
  request.set('reason', outcome.reason)
  return reject(request, 'invalid_grant', 'the assertion is not accepted')
}

type ReceivedExchange = z.infer<typeof exchangeRequest>

interface FederationParts {
  readonly state: State
  readonly selectKeys: (issuer: Issuer) => JWTVerifyGetKey
}

async function readExchange(request: Context<PlatformEnv>): Promise<ReceivedExchange | { refusal: string }> {
  try {
    return await readBody(request, exchangeRequest)
  } catch (thrown) {
    if (thrown instanceof Refusal) return { refusal: thrown.message }
    throw thrown
  }
}

const exchangeRequest = z.object({
  grant_type: z.string(),
  assertion: z.string().min(1),
  federation_rule_id: z.string().min(1),
  organization_id: z.string().min(1),
  service_account_id: z.string().min(1).optional(),
  workspace_id: z.string().min(1).optional(),
})

function reject(request: Context<PlatformEnv>, error: string, description: string): Response {
  return request.json({ error, error_description: description }, 400)
}

/** Issues the token, or returns the reason for the gateway's own record: the caller learns only `invalid_grant`. */
async function issueGrant({ state, selectKeys }: FederationParts, exchange: ReceivedExchange) {
  const rule =
    exchange.organization_id === state.organizationId ? findRule(state, exchange.federation_rule_id) : undefined
  const issuer = rule && findIssuer(state, rule.issuerId)
  if (!rule || !issuer) return { reason: 'organization or federation rule: unknown' }
  const verdict = await verifyAssertion(exchange.assertion, {
    issuer,
    rule,
    keys: selectKeys(issuer),
    now: state.now(),
  })
  if (!verdict.ok) return verdict
  const workspaceId = exchange.workspace_id ?? rule.workspaceId
  const problem = validateTarget(state, rule, exchange.service_account_id, workspaceId)
  if (problem !== undefined) return { reason: problem }
  if (!recordAssertionUse(state, rule, verdict.payload)) return { reason: 'claim jti: used before' }
  const { serviceAccountId: ownerId, lifeSec } = rule
  const token = issueToken(state, { method: 'federation', ownerId, workspaceId, lifeSec })
  return { granted: { access_token: token.reveal(), token_type: 'Bearer', expires_in: lifeSec } }
}

function validateTarget(state: State, rule: FederationRule, serviceAccountId: string | undefined, workspaceId: string) {
  if (serviceAccountId !== undefined && serviceAccountId !== rule.serviceAccountId)
    return 'service account: not the one of the rule'
  if (requireIdentity(state, rule.serviceAccountId).standing === 'gone') return 'service account: archived'
  const access = detectAccess(state, rule.serviceAccountId, workspaceId)
  return access === 'reachable' ? undefined : `workspace: ${access}`
}

/**
 * Records the exchange of an assertion, unless the rule permits another exchange.
 * @returns `false` if the assertion was exchanged before and the rule forbids another exchange.
 */
function recordAssertionUse(
  state: State,
  { issuerId, identityReuse }: FederationRule,
  { jti, exp }: AssertionClaims,
): boolean {
  return jti === undefined || identityReuse === 'allowed' || recordUse(state, issuerId, jti, exp)
}

/**
 * Records the use of an assertion. The record is kept until no clock accepts the assertion.
 * @returns `false` if it was used before.
 */
function recordUse({ sql, now }: State, issuerId: string, jti: string, exp: number): boolean {
  sql.run`DELETE FROM used_assertions WHERE expires_at <= ${now()}`
  const until = (exp + clockSkewSec) * 1000
  return (
    sql.run`INSERT INTO used_assertions VALUES (${issuerId}, ${jti}, ${until}) ON CONFLICT DO NOTHING`.changes === 1
  )
}
