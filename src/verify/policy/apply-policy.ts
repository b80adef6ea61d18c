import { TokenRefusal } from '../token-refusal.ts'
import type { Identity } from '../verdict.ts'
import { type ClaimPath, findClaim, listClaimTexts } from './claim-path.ts'
import { describeLacks, type Lack } from './describe-lacks.ts'
import { listTemplateClaims, renderHeaderTemplate } from './header-template.ts'
import { matchPattern } from './match-pattern.ts'
import type { ClaimCondition, Policy, PolicyRule } from './policy.ts'

/** The rule that lets somebody pass. */
export interface AppliedRule {
  readonly rule: PolicyRule
  /** Every header that any rule of the policy can set, in lower case; an empty text where this rule sets none. */
  readonly headers: Readonly<Record<string, string>>
}

/** In bytes: names and values of all headers together, so that they fit into the 4 KiB that nginx keeps for an answer. Our decision. */
export const longestHeadersBytes = 3072

/**
 * Finds the first rule that holds and whose headers can be filled in.
 * @throws {TokenRefusal} `no-rule`; its detail names claims, and never what the policy accepts.
 */
export function applyPolicy(identity: Identity, policy: Policy): AppliedRule {
  const rules = policy.rules.filter((rule) => isFor(rule, identity))
  const lacks: Lack[] = []
  for (const rule of rules) {
    const tried = tryRule(rule, identity)
    if ('filled' in tried) return { rule, headers: { ...renderEmptyHeaders(policy), ...tried.filled } }
    lacks.push(...tried.lacks)
  }
  throw new TokenRefusal('no-rule', describeLacks(lacks, rules.length))
}

/** Every header that any rule of the policy can set, with an empty text. */
function renderEmptyHeaders({ rules }: Policy): Record<string, string> {
  return Object.fromEntries(rules.flatMap(({ headers }) => headers.map(({ name }) => [name, ''])))
}

function isFor({ identities }: PolicyRule, { kind, issuer }: Identity): boolean {
  return identities === 'aws' ? kind === 'aws-identity' : kind === 'jwt' && identities.issuer === issuer
}

type Tried = { readonly filled: Readonly<Record<string, string>> } | { readonly lacks: readonly Lack[] }

/** A rule whose headers cannot be filled in does not hold: nothing behind the gateway has to read a missing name as one. */
function tryRule({ name: rule, conditions, headers }: PolicyRule, { claims }: Identity): Tried {
  const unmet = conditions.filter((condition) => !isMet(condition, claims))
  if (unmet.length > 0) return { lacks: unmet.map(({ claim }) => ({ rule, claim, why: toReason(claim, claims) })) }
  const values = headers.map(({ name, value }) => ({ name, ...renderHeaderTemplate(value, claims) }))
  const missing = values.flatMap((each) => ('missing' in each ? each.missing : []))
  if (missing.length > 0) return { lacks: missing.map((claim) => ({ rule, claim, why: 'no text for a header' })) }
  const filled = values.flatMap((each) => ('value' in each ? [[each.name, each.value] as const] : []))
  const bytes = filled.flat().join('').length // visible ASCII
  if (bytes <= longestHeadersBytes) return { filled: Object.fromEntries(filled) }
  const claim = listLongClaims(headers, claims)
  return { lacks: claim.map((each) => ({ rule, claim: each, why: 'too long for a header' })) }
}

/** The claims that fill the headers, the longest first. */
function listLongClaims(headers: PolicyRule['headers'], claims: Identity['claims']): ClaimPath[] {
  const used = headers.flatMap(({ value }) => listTemplateClaims(value).map(({ claim }) => claim))
  const computeLength = (claim: ClaimPath) => listClaimTexts(findClaim(claims, claim)).join(',').length
  return used.toSorted((a, b) => computeLength(b) - computeLength(a)).slice(0, 1)
}

function isMet({ claim, patterns }: ClaimCondition, claims: Identity['claims']): boolean {
  const texts = new Set(listClaimTexts(findClaim(claims, claim)))
  return patterns.some((pattern) =>
    pattern.includes('*') ? texts.values().some((text) => matchPattern(pattern, text)) : texts.has(pattern),
  )
}

function toReason(claim: ClaimPath, claims: Identity['claims']): Lack['why'] {
  return listClaimTexts(findClaim(claims, claim)).length === 0 ? 'not in the token' : 'no accepted value'
}
