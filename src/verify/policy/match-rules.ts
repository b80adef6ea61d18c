import { escapeNonAscii } from '../../runtime/text/escape.ts'
import { isPatternMatch } from '../../runtime/text/star-pattern.ts'
import { type ClaimPath, findClaim, listClaimTexts } from '../../runtime/tokens/claim-path.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'
import { type ClaimPart, expandHeaderTemplate, listTemplateClaims } from './header-template.ts'
import type { ClaimCondition, Policy, PolicyRule } from './policy.ts'
import { listScopes } from './protected-resource.ts'
import { listUnmetFacts, type RequestFacts, type UnmetFact, unknownRequest } from './request-condition.ts'

/**
 * Requires the first rule that matches and whose headers can be filled in.
 * @param request `any` for the first rule that matches with any request.
 * @throws {TokenRefusal} `no-rule`; its detail names claims, and never what the policy accepts, apart from scopes if only they are missing.
 */
export function requireRule(
  identity: Identity,
  policy: Policy,
  request: RequestFacts | 'any' = unknownRequest,
): MatchedRule {
  const rules = policy.rules.filter((rule) => isFor(rule, identity))
  const lacks: Lack[] = []
  let requiredScopes: readonly string[] | undefined
  for (const rule of rules) {
    const match = matchRule(rule, identity, request)
    if ('filled' in match) return { rule, headers: addEmptyHeaders(policy, match.filled) }
    lacks.push(...match.lacks)
    requiredScopes ??= match.requiredScopes
  }
  throw new TokenRefusal('no-rule', { ...describeLacks(lacks, rules.length), requiredScopes })
}

/** The rule that lets the identity pass. */
interface MatchedRule {
  readonly rule: PolicyRule
  /** Every header that any rule of the policy can set, in lower case; empty if this rule does not set it. */
  readonly headers: Readonly<Record<string, string>>
}

/** Returns whether any rule lets the identity pass with some request. */
export function hasRule(identity: Identity, policy: Policy): boolean {
  return policy.rules.some((rule) => isFor(rule, identity) && 'filled' in matchRule(rule, identity, 'any'))
}

/** If the policy has only one rule, its headers are all headers. */
function addEmptyHeaders(policy: Policy, filled: MatchedRule['headers']): MatchedRule['headers'] {
  return policy.rules.length === 1 ? filled : { ...ensureEmptyHeaders(policy), ...filled }
}

const emptyHeaders = new WeakMap<Policy, Readonly<Record<string, string>>>()

/** Returns every header that any rule of the policy can set, with an empty value; rendered once for each policy. */
function ensureEmptyHeaders(policy: Policy): Readonly<Record<string, string>> {
  const known = emptyHeaders.get(policy)
  if (known) return known
  const rendered = Object.fromEntries(policy.rules.flatMap(({ headers }) => headers.map(({ name }) => [name, ''])))
  emptyHeaders.set(policy, rendered)
  return rendered
}

function isFor({ identities }: PolicyRule, { kind, issuer }: Identity): boolean {
  return identities === 'aws' ? kind === 'aws-identity' : kind !== 'aws-identity' && identities.issuer === issuer
}

type RuleMatch =
  | { readonly filled: Readonly<Record<string, string>> }
  /** `requiredScopes` are the scopes with which a rule would match. */
  | { readonly lacks: readonly Lack[]; readonly requiredScopes?: readonly string[] }

/**
 * A rule whose headers cannot be filled in does not match, so that no request reaches the server behind the gateway without the caller's
 * name.
 */
function matchRule(
  { name: rule, conditions, scopes = [], request: condition = {}, headers }: PolicyRule,
  { claims }: Identity,
  request: RequestFacts | 'any',
): RuleMatch {
  const unmet = conditions.filter((each) => !isConditionMet(each, claims))
  if (unmet.length > 0) return { lacks: unmet.map(({ claim }) => ({ rule, claim, why: toReason(claim, claims) })) }
  const unmetFacts = listUnmetFacts(condition, request)
  if (unmetFacts.length > 0)
    return { lacks: unmetFacts.map(({ fact, why }) => ({ rule, claim: { text: `the request's ${fact}` }, why })) }
  const filled: (readonly [string, string])[] = []
  const missing: ClaimPart[] = []
  let bytes = 0
  for (const { name, value } of headers) {
    const rendered = expandHeaderTemplate(value, claims)
    if ('missing' in rendered) missing.push(...rendered.missing)
    else {
      filled.push([name, rendered.value])
      bytes += name.length + rendered.value.length // in bytes, because values are visible ASCII
    }
  }
  if (missing.length > 0) return { lacks: missing.map(toMissing(rule)) }
  if (bytes <= longestHeadersBytes) {
    const granted = scopes.length === 0 ? scopes : listScopes(claims)
    if (scopes.every((scope) => granted.includes(scope))) return { filled: Object.fromEntries(filled) }
    return { lacks: [{ rule, claim: { text: 'scope' }, why: 'lacks one' }], requiredScopes: scopes }
  }
  const claim = findLongestClaim(headers, claims)
  return { lacks: claim ? [{ rule, claim, why: 'too long for a header' }] : [] }
}

/**
 * The largest size of all headers in bytes, names included, so that they fit into the 4 KiB that nginx reserves for an answer
 * (`proxy_buffer_size`). Our decision.
 */
const longestHeadersBytes = 3072

/** Returns whether one of the patterns matches the claim, or one item of a list. */
export function isConditionMet({ claim, patterns }: ClaimCondition, claims: Identity['claims']): boolean {
  const texts = new Set(listClaimTexts(findClaim(claims, claim)))
  return patterns.some((pattern) =>
    pattern.includes('*') ? texts.values().some((text) => isPatternMatch(pattern, text)) : texts.has(pattern),
  )
}

function toReason(claim: ClaimPath, claims: Identity['claims']): Lack['why'] {
  return listClaimTexts(findClaim(claims, claim)).length === 0 ? 'not in the token' : 'no accepted value'
}

interface Lack {
  readonly rule: string
  /** The claim, or the fact of the request, that is missing. */
  readonly claim: Pick<ClaimPath, 'text'>
  readonly why:
    | UnmetFact['why']
    | 'not in the token'
    | 'lacks one'
    | 'no text for a header'
    | 'no name in a map'
    | 'too long for a header'
}

/** A longer list would not help a reader, and the list must fit into a header. */
const maxNamed = 8

function toMissing(rule: string): (part: ClaimPart) => Lack {
  return ({ claim, map }) => ({ rule, claim, why: map ? 'no name in a map' : 'no text for a header' })
}

/** Finds the longest claim of some headers; `undefined` if they have only literal text. */
function findLongestClaim(headers: PolicyRule['headers'], claims: Identity['claims']): ClaimPath | undefined {
  const used = headers.flatMap(({ value }) => listTemplateClaims(value).map(({ claim }) => claim))
  const computeLength = (claim: ClaimPath) => listClaimTexts(findClaim(claims, claim)).join(',').length
  return used.toSorted((a, b) => computeLength(b) - computeLength(a))[0]
}

/**
 * Describes what is missing: the detail for the caller names only claims, and the note for the operator's log also names rules.
 * @param ruleCount The number of rules for tokens of this issuer.
 */
function describeLacks(lacks: readonly Lack[], ruleCount: number): { detail: string; note: string } {
  if (ruleCount === 0) return { detail: noRuleOfIssuer, note: noRuleOfIssuer }
  const claims = lacks.map(({ claim, why }) => `${escapeNonAscii(claim.text)} (${why})`)
  const rules = lacks.map(({ rule, claim, why }) => `${escapeNonAscii(rule)}: ${escapeNonAscii(claim.text)} (${why})`)
  return {
    detail: `no rule accepts its claims: ${joinDifferent(claims)}`,
    note: `no rule holds: ${joinDifferent(rules)}`,
  }
}

const noRuleOfIssuer = 'no rule is for this issuer'

function joinDifferent(words: readonly string[]): string {
  const different = [...new Set(words)]
  return `${different.slice(0, maxNamed).join(', ')}${different.length > maxNamed ? ', and others' : ''}`
}
