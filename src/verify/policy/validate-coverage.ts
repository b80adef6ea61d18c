import { isCoveredBy, isMatchAll } from '../../runtime/text/star-pattern.ts'
import { githubActionsIssuer } from '../../runtime/tokens/jwt-purpose.ts'
import { type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { type ClaimPart, listTemplateClaims, parseHeaderTemplate } from './header-template.ts'
import { createPolicyFinding, type PolicyFinding } from './policy-finding.ts'
import { listObjects, listTexts, toText } from './unchecked-form.ts'
import { dropFinalSlash } from './validate-text.ts'

/** Returns whether the claims of a rule exclude anybody who can get a token of the issuer for this audience. */
export function isNarrow(claims: unknown): boolean {
  return Object.entries(toObject(claims)).some(
    ([name, patterns]) => !ofEveryToken.includes(name) && !listTexts(patterns).some(isMatchAll),
  )
}

/** Claims that the verification compares anyway, or that differ in every token (RFC 7519, section 4.1). */
const ofEveryToken = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']

/**
 * Issuers that give a token to everybody, for any audience or application, and the claims that name the owner. Source: their documentation
 * of OpenID Connect tokens.
 */
const issuersOfAnyone: readonly { readonly issuer: string; readonly owners: readonly string[] }[] = [
  {
    issuer: githubActionsIssuer,
    owners: [
      ...['repository_owner', 'repository_owner_id', 'repository', 'repository_id', 'sub'],
      // `job_workflow_ref` is not listed: anybody can call a workflow of a public repository from their own.
      ...['workflow_ref', 'enterprise', 'enterprise_id'],
    ],
  },
  {
    issuer: 'https://gitlab.com',
    owners: ['namespace_path', 'namespace_id', 'project_path', 'project_id', 'sub', 'user_login', 'user_id'],
  },
  { issuer: 'https://agent.buildkite.com', owners: ['organization_slug', 'organization_id', 'sub'] },
  { issuer: 'https://app.terraform.io', owners: ['terraform_organization_id', 'terraform_organization_name', 'sub'] },
  { issuer: 'https://accounts.google.com', owners: ['hd', 'email', 'sub'] },
  { issuer: 'https://appleid.apple.com', owners: ['email', 'sub'] },
  // The tenant of personal Microsoft accounts (Microsoft identity platform, access token claims reference).
  {
    issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
    owners: ['email', 'oid', 'sub'],
  },
]

/** Finds rules that match more callers than they seem to: those of a public issuer, and patterns without a delimiter. */
export function validateCoverage({ issuer, claims }: RawObject, path: string): PolicyFinding[] {
  const open = issuersOfAnyone.find((each) => each.issuer === dropFinalSlash(toText(issuer) ?? ''))
  const named = Object.entries(toObject(claims))
  const isOwned = named.some(
    ([name, patterns]) =>
      open?.owners.includes(name) && listTexts(patterns).every((pattern) => isOwnerNamed(name, pattern)),
  )
  const anyone = createPolicyFinding(
    'issuer-of-anyone',
    path,
    'anybody gets a token of this issuer, and no claim of the rule says whose it has to be',
    `add a claim that names you or your organization: ${open?.owners.slice(0, 4).join(', ')}`,
  )
  return [
    ...(open && !isOwned ? [anyone] : []),
    ...named.flatMap(([name, patterns]) =>
      listTexts(patterns).flatMap((pattern, index) => {
        const hint = findOpenEnd(name, pattern, open ? 'anybody' : 'members')
        const at = joinPath(joinPath(joinPath(path, 'claims'), name), index)
        const message = 'it also matches longer names, which somebody else can take'
        return hint === undefined ? [] : [createPolicyFinding('pattern-open', at, message, hint)]
      }),
    ),
  ]
}

/**
 * Returns whether the pattern names the owner. It does not if it begins with a star, or has a star right after the kind of the subject
 * (`repo:*`). In an email address the owner is the domain.
 */
function isOwnerNamed(claim: string, pattern: string): boolean {
  if (claim === 'email') return wholeDomain.test(pattern)
  if (claim === 'hd') return /^(\*\.)?[^*]+$/.test(pattern)
  return !/^([a-z_]+:)?\*/.test(pattern)
}

/** The end of a pattern for email addresses of one domain. */
const wholeDomain = /@[^*]+$/

const paths = /^(repository|project_path|namespace_path|(job_)?workflow_ref)$/
const owners = /^(repository_owner|organization_slug|terraform_organization_name)$/
const addresses = /^(email|upn|preferred_username|unique_name)$/

/**
 * Finds the hint for a pattern that also matches owners with longer names; `undefined` for any other pattern.
 * @param people Who gets tokens of the issuer.
 */
function findOpenEnd(claim: string, pattern: string, people: 'anybody' | 'members'): string | undefined {
  const [start = '', ...others] = pattern.split('*')
  if (others.length === 0 || isMatchAll(pattern)) return undefined
  const end = others.at(-1) ?? ''
  if (paths.test(claim) && !start.includes('/'))
    return 'write the name of the owner whole, and a slash before the star: example/*'
  if (claim === 'sub' && people === 'anybody' && !/^[^:]*:[^:/]+[:/]/.test(start))
    return 'write the name of the owner whole, and what follows it before the star: repo:example/*, organization:example:*'
  if (owners.test(claim)) return 'write the name of the owner whole, without a star'
  if (addresses.test(claim) && !wholeDomain.test(pattern) && !end.startsWith('.'))
    return 'write the @ and the whole domain behind the star: *@corp.example'
  if (claim === 'hd' && (end === '' || !end.startsWith('.'))) return 'write the whole domain, without a star'
  return undefined
}

/** Finds rules that no token reaches, or that another rule makes useless: the first rule that matches is used. */
export function validateOrder(file: RawObject): PolicyFinding[] {
  const rules = listObjects(file.rules).map(([index, rule]) => ({
    index,
    rule,
    coverage: toCoverage(rule, toObject(file.maps)),
  }))
  return rules.flatMap(({ index, rule, coverage }, order) => {
    const before = rules
      .slice(0, order)
      .find((other) => isCovering(other.coverage, coverage) && isFilledBy(other.coverage, coverage))
    if (before) {
      const message = `no token reaches it: rules[${before.index}] lets all of them pass before`
      return [
        createPolicyFinding('rule-hidden', `rules[${index}]`, message, 'put the narrower rule first, or remove one'),
      ]
    }
    if (rule.use !== 'once') return []
    const after = rules
      .slice(order + 1)
      .find(
        (other) =>
          other.rule.use !== 'once' && isCovering(other.coverage, coverage) && !isFilledBy(coverage, other.coverage),
      )
    if (!after) return []
    const message = `a token without the claims of its headers passes by rules[${after.index}], as often as it is sent`
    const hint = 'give both rules "use": "once", or name in headers only claims that the rule asks for'
    return [createPolicyFinding('once-undone', `rules[${index}].use`, message, hint)]
  })
}

/** The claims of every AWS identity; only an assumed role has the others. */
const ofEveryCaller = ['arn', 'account', 'user_id', 'partition']

interface RuleCoverage {
  readonly of: string | undefined
  readonly conditions: ReadonlyMap<string, readonly string[]>
  /** The claims that its headers need. */
  readonly needed: readonly string[]
}

function toCoverage({ issuer, aws, claims, scopes, request, headers }: RawObject, maps: RawObject): RuleCoverage {
  const facts = Object.entries(toObject(request)).map(([name, patterns]) => [`request ${name}`, patterns] as const)
  const granted = listTexts(scopes).map((scope) => [`scope ${scope}`, []] as const)
  const given = [...Object.entries(toObject(aws ?? claims)), ...facts, ...granted].filter(([, patterns]) =>
    Array.isArray(patterns),
  )
  const templates = Object.values(toObject(headers)).map((value) => parseHeaderTemplate(toText(value) ?? '') ?? [])
  const isNeeded = ({ isOptional, map }: ClaimPart) =>
    !isOptional || (map !== undefined && toObject(maps[map.name]).unlisted !== 'left out')
  const needed = templates.flatMap(listTemplateClaims).filter(isNeeded)
  return {
    of: aws === undefined ? toText(issuer) : 'aws',
    conditions: new Map(given.map(([name, patterns]) => [name, listTexts(patterns)])),
    needed: needed.map(toNeeded).filter((name) => !(aws && ofEveryCaller.includes(name))),
  }
}

/** A claim can be present without a name in the map, so a condition on the claim does not prove that there is a name. */
function toNeeded({ claim, map }: ClaimPart): string {
  return `${claim.names.join('.')}${map ? `|${map.name}` : ''}`
}

/** Returns whether everyone who meets the conditions of `inner` also meets those of `outer`. */
function isCovering(outer: RuleCoverage, inner: RuleCoverage): boolean {
  if (outer.of === undefined || outer.of !== inner.of) return false
  return outer.conditions.entries().every(([name, patterns]) => {
    const narrow = inner.conditions.get(name)
    return narrow !== undefined && isCoveredBy(narrow, patterns)
  })
}

/** Returns whether a token that has every claim for the headers of `other`, and meets the conditions of both, has those of `first`. */
function isFilledBy(first: RuleCoverage, other: RuleCoverage): boolean {
  return first.needed.every(
    (claim) => [first, other].some(({ conditions }) => conditions.has(claim)) || other.needed.includes(claim),
  )
}
