import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { examineProof } from '../../verify/aws/parse-proof.ts'
import {
  type ProviderIntrospection,
  type ProviderQuestion,
  toProviderQuestion,
} from '../../verify/introspection/provider-introspection.ts'
import { examineJwt } from '../../verify/jwt/examine-jwt.ts'
import { createIssuerKeys } from '../../verify/jwt/issuer-keys.ts'
import { verifyJwt } from '../../verify/jwt/verify-jwt.ts'
import { requireRule } from '../../verify/policy/match-rules.ts'
import type { AwsTrust, Policy } from '../../verify/policy/policy.ts'
import { type Identity, TokenRefusal } from '../../verify/verdict.ts'
import { detectKind, rejectAwsKey } from '../../verify/verifier/token-kind.ts'
import { askSts, notAsked, type ProofCheckTerms } from './check-proof.ts'
import { type Description, type Fact, renderValue } from './shown-claims.ts'
import { reasonHints, type TokenCheck, toTokenCheck, toTokenChecks } from './token-check.ts'

/** Makes the checks of a verifier with this policy, and names the rule that would let the token pass. No use is recorded. */
export async function checkByPolicy(
  token: string,
  { kind, title }: Pick<Description, 'kind' | 'title'>,
  policy: Policy,
  world: PolicyWorld,
): Promise<Checked> {
  if (detectKind(token, policy) === 'opaque' && !rejectAwsKey(token)) return checkAtProvider(token, policy, world)
  if (kind === 'jwt') return checkClaims(token, policy, world)
  if (kind === 'aws-identity' && policy.aws) return checkCaller(token, policy.aws, policy, world)
  const message = `the policy takes no tokens of this kind, which is ${title}`
  const hint = reasonHints['unknown-kind']
  return { checks: [{ name: 'kind', status: 'unmet', message, reason: 'unknown-kind', hint }], facts: [] }
}

interface Checked {
  readonly checks: TokenCheck[]
  readonly facts: Fact[]
  /** Set if the verifier would ask the provider about the token. */
  readonly question?: ProviderQuestion
}

interface PolicyWorld extends Pick<ProofCheckTerms, 'sts'> {
  readonly now: number
  readonly fetch: Fetch
  readonly introspection?: ProviderIntrospection
}

/** Checks an opaque token, whose owner only its provider knows. */
async function checkAtProvider(token: string, policy: Policy, { introspection }: PolicyWorld): Promise<Checked> {
  if (!introspection) return { checks: [providerNotAsked, toUnknownOwner('--provider-secrets')], facts: [] }
  const { check, identity } = await askWhetherActive(introspection, () => introspection.identify(token, policy))
  return identity ? addRule([check], identity, policy, token) : { checks: [check, toOpen([check])], facts: [] }
}

const providerNotAsked: TokenCheck = {
  name: 'active',
  status: 'not asked',
  message:
    'not verified: only its provider can say whose it is; --provider-secrets DIRECTORY asks the one of the policy',
}

async function checkClaims(token: string, policy: Policy, world: PolicyWorld): Promise<Checked> {
  const { now, fetch, introspection } = world
  const keys = createIssuerKeys({ fetch, now: () => now })
  const context = { trusts: policy.jwt, keys, now, clockSkewSec: policy.clockSkewSec }
  const checks = toTokenChecks((await examineJwt(token, context)).checks, [])
  if (!isEveryMet(checks)) return { checks: [...checks, toOpen(checks)], facts: [] }
  const applied = addRule(checks, await verifyJwt(token, context), policy, token)
  if (!applied.question || !introspection) return applied
  const active = await askWhetherActive(introspection, () => introspection.requireActive(token, applied.question!))
  return { ...applied, checks: [...applied.checks, active.check] }
}

/** Asks the provider like the verifier, and returns the answer as a check. */
async function askWhetherActive<T>(
  introspection: ProviderIntrospection,
  ask: () => Promise<T>,
): Promise<{ readonly check: TokenCheck; readonly identity?: T }> {
  try {
    const identity = await ask()
    const isAway = introspection.states().some(({ counts }) => counts.passed > 0)
    const message = isAway
      ? 'its provider gives no good answer, and the policy lets it pass meanwhile'
      : 'its provider says that it is active'
    return { check: { name: 'active', status: 'met', message }, identity }
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    const { reason, note, message } = thrown
    return { check: toTokenCheck({ name: 'active', outcome: 'fail', reason, note: note ?? message }) }
  }
}

async function checkCaller(token: string, trust: AwsTrust, policy: Policy, world: PolicyWorld): Promise<Checked> {
  const { sts, ...rest } = world
  const context = { trust, clockSkewSec: policy.clockSkewSec, ...rest }
  const checks = toTokenChecks(examineProof(token, context), [])
  if (!isEveryMet(checks)) return { checks: [...checks, toOpen(checks)], facts: [] }
  if (sts === 'not asked') return { checks: [...checks, notAsked, toUnknownOwner('--sts')], facts: [] }
  const { check, facts, identity } = await askSts(token, context)
  if (!identity) return { checks: [...checks, check, toOpen([check])], facts }
  const applied = addRule([...checks, check], identity, policy, token)
  return { ...applied, facts: [...facts, ...applied.facts] }
}

function toUnknownOwner(option: string): TokenCheck {
  return { name: 'rule', status: 'not asked', message: `its owner is not known without ${option}` }
}

function isEveryMet(checks: readonly TokenCheck[]): boolean {
  return checks.every(({ status }) => status === 'met')
}

/** The rules are not applied, because an earlier check is not met. */
function toOpen(checks: readonly TokenCheck[]): TokenCheck {
  const first = checks.find(({ status }) => status !== 'met')?.name
  return { name: 'rule', status: 'unknown', message: `no rule was searched for, because the check ${first} failed` }
}

/** Adds the rule that lets the token's owner pass, and the headers of the verifier. */
function addRule(checks: readonly TokenCheck[], identity: Identity, policy: Policy, token: string): Checked {
  try {
    const { rule, headers } = requireRule(identity, policy, 'any')
    const once = rule.use === 'once' ? ', once' : ''
    const some = rule.request ? ', with the requests that the rule names' : ''
    const question = toProviderQuestion(token, identity, policy, rule)
    const active = question ? ', if its provider says that it is active' : ''
    const message = `the rule ${renderValue(rule.name)} lets it pass${once}${some}${active}`
    const set = Object.entries(headers).filter(([, value]) => value !== '')
    const facts = set.map(([name, value]) => ({ name: `sets ${name}`, value: renderValue(value) }))
    return { checks: [...checks, { name: 'rule', status: 'met', message }], facts, ...(question && { question }) }
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error
    const { reason, note, message } = error
    return {
      checks: [...checks, toTokenCheck({ name: 'rule', outcome: 'fail', reason, note: note ?? message })],
      facts: [],
    }
  }
}
