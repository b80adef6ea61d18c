import type { ExchangeCheck } from '../../client/doctor/exchange-check.ts'
import { detectAccess } from '../../gateway/credentials/access.ts'
import { resolveIdentity } from '../../gateway/credentials/identities.ts'
import { findIssuer, findRule, type Issuer, listRules, type Rule } from '../../gateway/federation/trust.ts'
import { createKeyFinder, verifyAssertion } from '../../gateway/federation/verify-assertion.ts'
import type { State } from '../../gateway/store/state.ts'
import type { Host } from '../../runtime/host.ts'
import { createStreamFetch } from '../../runtime/network/fetch/stream-fetch.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { openFile } from '../gateway/state.ts'
import type { Attempt } from './attempt.ts'
import { type Claims, check, validateConditions, validateIssuer } from './rule-conditions.ts'

/** Compares an identity token with the federation rules in the state of a gateway; empty for a token that is no JWT. */
export async function compareWithRules(db: string, { clock }: Host, tried: Attempt): Promise<ExchangeCheck[]> {
  const state = openFile(db, clock.now)
  try {
    return await compare(state, tried)
  } finally {
    state.close()
  }
}

async function compare(state: State, tried: Attempt): Promise<ExchangeCheck[]> {
  const { claims } = parseJwt(tried.attempt.assertion.reveal()) ?? {}
  if (!claims) return []
  const { organizationId, federationRuleId } = tried.attempt
  const organization = check('organization', organizationId === state.organizationId, {
    message: `${organizationId}; this gateway is ${state.organizationId}`,
    hint: `set organization to ${state.organizationId}`,
  })
  const rule = findRule(state, federationRuleId)
  const issuer = rule && findIssuer(state, rule.issuerId)
  if (!rule || !issuer) return [organization, describeUnknownRule(state, federationRuleId, claims)]
  return [
    organization,
    check('federation rule', true, { message: `${rule.id} is there` }),
    validateIssuer(issuer, claims),
    ...validateConditions(rule, claims),
    ...validateTarget(state, rule, tried),
    validateUse(state, rule, claims),
    await validateSignature(tried, { issuer, rule, now: state.now() }),
  ]
}

/** Names the rules that would accept the token, because an ID is easily copied from the wrong line. */
function describeUnknownRule(state: State, id: string, claims: Claims): ExchangeCheck {
  const rules = listRules(state)
  const fitting = rules.filter((rule) => {
    const issuer = findIssuer(state, rule.issuerId)
    return [...(issuer ? [validateIssuer(issuer, claims)] : []), ...validateConditions(rule, claims)].every(
      ({ status }) => status === 'met',
    )
  })
  const names = (list: readonly Rule[]) => list.map((rule) => rule.id).join(', ')
  const message = `${id} is not there; there ${rules.length === 0 ? 'are none' : `is ${names(rules)}`}`
  const hint =
    fitting.length > 0
      ? `set federation-rule to ${names(fitting)}, which takes this identity`
      : 'make a rule for this identity: gatepass gateway federation rule'
  return check('federation rule', false, { message, hint })
}

function validateTarget(state: State, rule: Rule, { attempt }: Attempt): ExchangeCheck[] {
  const { serviceAccountId = rule.serviceAccountId, workspaceId = rule.workspaceId } = attempt
  const isGone = resolveIdentity(state, rule.serviceAccountId).standing === 'gone'
  const access = detectAccess(state, rule.serviceAccountId, workspaceId)
  return [
    check('service account', serviceAccountId === rule.serviceAccountId && !isGone, {
      message: `${serviceAccountId}; the rule is for ${rule.serviceAccountId}${isGone ? ', which is archived' : ''}`,
      hint: isGone ? 'make a rule for another service account' : 'leave the option service-account out',
    }),
    check('workspace', access === 'reachable', {
      message: `${workspaceId}${access === 'reachable' ? '' : `, which the service account cannot use (${access})`}`,
      hint: 'add the service account to it: gatepass gateway workspaces add; or name another workspace',
    }),
  ]
}

function validateUse({ sql }: State, { issuerId, identityReuse }: Rule, { jti }: Claims): ExchangeCheck {
  if (identityReuse === 'allowed') return check('jti', true, { message: 'the rule takes a token more than once' })
  const isUsed =
    typeof jti === 'string' && !!sql.get`SELECT 1 FROM used_assertions WHERE issuer_id = ${issuerId} AND jti = ${jti}`
  return check('jti', !isUsed, {
    message: isUsed
      ? 'it has been exchanged before, and it is good for one exchange'
      : 'it has not been exchanged before',
    hint: 'have the identity token renewed, or use a source that creates a new one each time',
  })
}

async function validateSignature(
  { attempt: { assertion }, call: { network } }: Attempt,
  { issuer, rule, now }: { issuer: Issuer; rule: Rule; now: number },
): Promise<ExchangeCheck> {
  const keys = createKeyFinder(createStreamFetch({ network, silenceSec: 10 }))(issuer)
  const verified = await verifyAssertion(assertion.reveal(), { issuer, rule, keys, now })
  // The claims were checked one by one above.
  if (verified.ok || verified.reason.startsWith('claim '))
    return check('signature', true, { message: "it is the issuer's" })
  const location = 'url' in issuer.keys ? issuer.keys.url : 'the registered key set'
  return check('signature', false, {
    message: `it is not by a key of ${location} (${verified.reason})`,
    hint: 'register where the issuer keeps its keys now: gatepass gateway federation issuer --jwks-url',
  })
}
