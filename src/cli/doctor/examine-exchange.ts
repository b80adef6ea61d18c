import {
  describeExchange,
  type ExchangeCheck,
  type ExchangeCheckStatus,
  mergeChecks,
  renderClaim,
  repetitionHint,
  validateExchange,
} from '../../client/doctor/validate-exchange.ts'
import type { Part } from '../../client/examination.ts'
import {
  type FederationRule,
  findIssuer,
  findRule,
  type Issuer,
  isMatch,
  listRules,
} from '../../gateway/credentials/federation-rules.ts'
import { detectAccess, requireIdentity } from '../../gateway/credentials/platform-identities.ts'
import { clockSkewSec, createKeyFinder, verifyAssertion } from '../../gateway/credentials/verify-assertion.ts'
import { renderStateCommand, type State } from '../../gateway/store/state.ts'
import { isUsedAssertion } from '../../helper/mint/used-assertions.ts'
import { toleratedSkewSec } from '../../runtime/failure.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import { createStreamFetch } from '../../runtime/network/stream-fetch.ts'
import { type Claims, parseJwt } from '../../runtime/tokens/jwt.ts'
import { digestAssertion } from '../../sources/exchange/exchange-once.ts'
import { shortestLeftSec } from '../../sources/exchange/validate-assertion.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { openStateFile } from '../gateway/console-state.ts'
import type { ExchangeAttempt, RepeatedCall } from './diagnose-again.ts'
import { fetchHeaders } from './examine-clock.ts'

/**
 * Explains why a token exchange failed. The helper obtains another identity token, which is not sent; its claims are compared with the
 * settings, with both clocks and, if `db` names the state of a gateway, with its rules. Empty for another helper, or if the helper's own
 * message is complete.
 */
export async function examineExchange(
  cli: Cli,
  { program, call, diagnosis }: RepeatedCall,
  db: string | undefined,
): Promise<Part[]> {
  if (!diagnosis.exchange) return []
  const tried = { program, call, attempt: diagnosis.exchange }
  const ofToken = validateExchange(await collectFacts(tried, cli.host))
  const known = db === undefined ? [] : await compareWithRules(db, cli.host, tried)
  const checks = mergeChecks(ofToken, known)
  const isConclusive = ({ what, status }: ExchangeCheck) => status === 'unmet' || (what === 'clock' && status === 'met')
  return known.length > 0 || checks.some(isConclusive) ? [describeExchange(checks)] : []
}

async function collectFacts({ attempt, call, program }: ExchangeAttempt, host: Host) {
  const { assertion, supply, reuse, baseUrl, ...settings } = attempt
  const text = assertion.reveal()
  const platform = await fetchTime(baseUrl, call.network)
  return {
    platform,
    here: host.clock.now(),
    skewSec: clockSkewSec,
    shortestLeftSec,
    longestAheadSec: toleratedSkewSec,
    bytes: Buffer.byteLength(text),
    jwt: parseJwt(text),
    settings,
    supply,
    use: reuse === 'never' && (await isExchangedHere(text, host, program)) ? 'exchanged' : 'unknown',
  } as const
}

/** Fetches the platform's clock in epoch milliseconds, from the answer to a request without content. */
async function fetchTime(baseUrl: string, network: NetworkSettings): Promise<number | undefined> {
  const headers = await fetchHeaders(baseUrl, async () => network)
  // An answer from a cache has the date of its creation (RFC 9111, section 5.1).
  const date = headers?.has('age') ? Number.NaN : Date.parse(headers?.get('date') ?? '')
  return Number.isNaN(date) ? undefined : date
}

/** Ignores a record that cannot be read, because the helper reports it. */
async function isExchangedHere(text: string, host: Host, program: string): Promise<boolean> {
  const location = { directory: locateCacheDirectory(host), program, key: digestAssertion(text) }
  return isUsedAssertion(location).catch(() => false)
}

/** Compares an identity token with the federation rules in the state of a gateway; empty for a token that is not a JWT. */
async function compareWithRules(db: string, { clock }: Host, tried: ExchangeAttempt): Promise<ExchangeCheck[]> {
  const state = openStateFile(db, clock.now)
  try {
    return await compare(state, tried)
  } finally {
    state.close()
  }
}

async function compare(state: State, tried: ExchangeAttempt): Promise<ExchangeCheck[]> {
  const { claims } = parseJwt(tried.attempt.assertion.reveal()) ?? {}
  if (!claims) return []
  const { organizationId, federationRuleId } = tried.attempt
  const organization = createCheck('organization', organizationId === state.organizationId ? 'met' : 'unmet', {
    message: `${organizationId}${organizationId === state.organizationId ? '' : `, but this gateway belongs to ${state.organizationId}`}`,
    hint: `set organization to ${state.organizationId}`,
  })
  const rule = findRule(state, federationRuleId)
  const issuer = rule && findIssuer(state, rule.issuerId)
  if (!rule || !issuer) return [organization, describeUnknownRule(state, federationRuleId, claims)]
  return [
    organization,
    createCheck('federation rule', 'met', { message: `${rule.id} exists` }),
    validateIssuer(issuer, claims),
    ...validateConditions(rule, claims),
    ...validateTarget(state, rule, tried),
    validateUse(state, rule, claims),
    await validateSignature(tried, { issuer, rule, now: state.now() }),
  ]
}

/** Returns whether a token comes from the issuer of a rule. */
function validateIssuer({ issuer }: Issuer, { iss }: Claims): ExchangeCheck {
  return createCheck('iss', iss === issuer ? 'met' : 'unmet', {
    message: `the token is from ${renderClaim(iss)}, and the rule is for ${renderClaim(issuer)}`,
    hint: `use a token of that issuer, or register this issuer, spelled exactly so; see: ${programName} gateway federation issuer --help`,
  })
}

function validateConditions({ conditions }: FederationRule, claims: Claims): ExchangeCheck[] {
  const { audience, subject } = conditions
  const patterns = Object.entries({ ...conditions.claims, sub: subject })
  const aud = createCheck('aud', [claims.aud].flat().includes(audience) ? 'met' : 'unmet', {
    message: `the token is for ${renderClaim(claims.aud)}, and the rule asks for ${renderClaim(audience)}`,
    hint: `request the identity token for ${renderClaim(audience)}, with the option audience or at the identity provider`,
  })
  const others = patterns.map(([name, pattern]) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined
    return createCheck(name === 'sub' ? name : `claim ${name}`, isMatch(pattern, value) ? 'met' : 'unmet', {
      message: `its value is ${renderClaim(value)}, and the rule asks for ${renderClaim(pattern)}`,
      hint: `make a rule that accepts ${name} ${renderClaim(value)}, or use an identity that this rule accepts`,
    })
  })
  return [aud, ...others]
}

/** Lists the rules that would accept the token, because an ID is easily copied from the wrong line. */
function describeUnknownRule(state: State, id: string, claims: Claims): ExchangeCheck {
  const rules = listRules(state)
  const fitting = rules.filter((rule) => {
    const issuer = findIssuer(state, rule.issuerId)
    return [...(issuer ? [validateIssuer(issuer, claims)] : []), ...validateConditions(rule, claims)].every(
      ({ status }) => status === 'met',
    )
  })
  const names = (list: readonly FederationRule[]) => list.map((rule) => rule.id).join(', ')
  const message = `there is no rule ${id}; ${rules.length === 0 ? 'this gateway has no rules' : `this gateway has ${names(rules)}`}`
  const hint =
    fitting.length > 0
      ? `set federation-rule to ${names(fitting)}, which accepts this identity`
      : `make a rule for this identity; see: ${programName} gateway federation rule --help`
  return createCheck('federation rule', 'unmet', { message, hint })
}

function validateTarget(state: State, rule: FederationRule, { attempt }: ExchangeAttempt): ExchangeCheck[] {
  const { serviceAccountId = rule.serviceAccountId, workspaceId = rule.workspaceId } = attempt
  const isGone = requireIdentity(state, rule.serviceAccountId).standing === 'gone'
  const access = detectAccess(state, rule.serviceAccountId, workspaceId)
  return [
    createCheck('service account', serviceAccountId === rule.serviceAccountId && !isGone ? 'met' : 'unmet', {
      message: `${serviceAccountId}${serviceAccountId === rule.serviceAccountId ? '' : `, but the rule is for ${rule.serviceAccountId}`}${isGone ? ', which is archived' : ''}`,
      hint: isGone ? 'make a rule for another service account' : 'remove the option service-account',
    }),
    createCheck('workspace', access === 'reachable' ? 'met' : 'unmet', {
      message: `${workspaceId}${access === 'reachable' ? '' : `, which the service account cannot use (${access})`}`,
      hint:
        access === 'left'
          ? `give it access: ${renderStateCommand(state, `workspaces add ${workspaceId} ${rule.serviceAccountId}`)}; or name another workspace`
          : `name another workspace; see: ${renderStateCommand(state, 'workspaces list')}`,
    }),
  ]
}

function validateUse({ sql }: State, { issuerId, identityReuse }: FederationRule, { jti }: Claims): ExchangeCheck {
  if (identityReuse === 'allowed')
    return createCheck('jti', 'met', { message: 'the rule accepts a token more than once' })
  const isUsed =
    typeof jti === 'string' && !!sql.get`SELECT 1 FROM used_assertions WHERE issuer_id = ${issuerId} AND jti = ${jti}`
  return createCheck('jti', isUsed ? 'unmet' : 'met', {
    message: isUsed
      ? 'the token has been exchanged before, and is valid for one exchange only'
      : 'the token has not been exchanged before',
    hint: repetitionHint,
  })
}

async function validateSignature(
  { attempt: { assertion }, call: { network } }: ExchangeAttempt,
  { issuer, rule, now }: { issuer: Issuer; rule: FederationRule; now: number },
): Promise<ExchangeCheck> {
  const keys = createKeyFinder(createStreamFetch({ network }))(issuer)
  const verified = await verifyAssertion(assertion.reveal(), { issuer, rule, keys, now })
  // The claims were already checked one by one.
  if (verified.ok || verified.reason.startsWith('claim '))
    return createCheck('signature', 'met', { message: "the signature was made with the issuer's key" })
  const location = 'url' in issuer.keys ? issuer.keys.url : 'the registered key set'
  return createCheck('signature', 'unmet', {
    message: `the signature was not made with a key of ${location} (${verified.reason})`,
    hint: `register where the issuer keeps its keys now; see: ${programName} gateway federation issuer --help`,
  })
}

/** Creates the result of one condition. */
function createCheck(
  what: string,
  status: ExchangeCheckStatus,
  { message, hint }: Pick<ExchangeCheck, 'message' | 'hint'>,
): ExchangeCheck {
  return { what, status, message, hint }
}
