import { toOneLine } from '../../runtime/failure.ts'
import { secretMark } from '../../runtime/secret.ts'
import { isCredentialText } from '../../runtime/text/credential-text.ts'
import { hideUrlSecrets } from '../../runtime/text/hide-secrets.ts'
import { findClaim } from '../../runtime/tokens/claim-path.ts'
import type { Claims } from '../../runtime/tokens/jwt.ts'
import type { TokenKind } from '../../runtime/tokens/token-kind.ts'

/** The statements of a token, unverified and without secrets. */
export interface Description {
  readonly kind: TokenKind
  /** The kind of the token in words, with an article. */
  readonly title: string
  readonly facts: readonly Fact[]
  /** The names of claims whose values are not shown. */
  readonly hidden: readonly string[]
  readonly life: TokenLife
  /** Warnings for its owner. */
  readonly warnings: readonly string[]
}

/** A statement of a token, shown on one line. */
export interface Fact {
  readonly name: string
  readonly value: string
}

/** The times in a token, in epoch milliseconds. */
export interface TokenLife {
  readonly issuedAt?: number | undefined
  readonly notBefore?: number | undefined
  readonly expiresAt?: number | undefined
  /** The member with its end, such as `exp`. */
  readonly source?: string
}

/**
 * The claims by which policies decide: the owner of a token, its audience and its permissions. They are those of RFC 7519, RFC 8693, RFC
 * 9068 and OpenID Connect, then those of providers. A path leads into an object.
 */
const shown: readonly (readonly string[])[] = [
  ...['iss', 'sub', 'aud', 'azp', 'client_id', 'cid', 'appid', 'app_displayname', 'idtyp', 'resource'].map(toClaimPath),
  ...['email', 'email_verified', 'preferred_username', 'upn', 'unique_name', 'name', 'oid', 'tid', 'hd'].map(
    toClaimPath,
  ),
  ...['scope', 'scp', 'roles', 'groups', 'entitlements', 'acr', 'amr', 'org_id', 'org_name'].map(toClaimPath),
  ...['act', 'may_act'].map((name) => [name, 'sub']),
  // AWS, `GetWebIdentityToken`
  ...['aws_account', 'source_region', 'org_id', 'ou_path', 'principal_id'].map((name) => [
    'https://sts.amazonaws.com/',
    name,
  ]),
  // GitHub Actions
  ...[
    'repository',
    'repository_owner',
    'repository_id',
    'ref',
    'environment',
    'workflow',
    'job_workflow_ref',
    'event_name',
    'actor',
    'runner_environment',
    'enterprise',
  ].map(toClaimPath),
  // GitLab
  ...['project_path', 'namespace_path', 'ref_type', 'ref_protected', 'pipeline_source', 'user_login'].map(toClaimPath),
  // Kubernetes
  ...[['namespace'], ['serviceaccount', 'name'], ['pod', 'name'], ['node', 'name']].map((path) => [
    'kubernetes.io',
    ...path,
  ]),
  // Google
  ...['project_id', 'zone', 'instance_name'].map((name) => ['google', 'compute_engine', name]),
  // Entra managed identities
  ...['xms_mirid', 'xms_az_rid'].map(toClaimPath),
]

/** Claims that are shown as times, or numbers without a meaning for people. */
const times = ['exp', 'iat', 'nbf']

/**
 * Selects the shown claims, and the names of the others.
 * @param wanted The names of further claims to show.
 */
export function selectClaims(claims: Claims, wanted: readonly string[]): { facts: Fact[]; hidden: string[] } {
  const paths = [...shown, ...wanted.filter((name) => !shown.some((path) => path[0] === name)).map(toClaimPath)]
  const facts = paths.flatMap((path) => {
    const value = findClaim(claims, { names: path })
    return value === undefined ? [] : [{ name: path.join(' '), value: renderValue(value) }]
  })
  const known = new Set([...paths.map(([first]) => first), ...times])
  const hidden = Object.keys(claims).filter((name) => !known.has(name))
  return { facts, hidden: hidden.map(renderName).toSorted() }
}

function toClaimPath(name: string): string[] {
  return [name]
}

/** The shown length of a text, a name and a list. */
const longest = { text: 200, name: 60, items: 10 } as const

/**
 * Renders a claim on one line. Its issuer may write anything, so nested members are counted, and text that looks like a credential is
 * hidden.
 */
export function renderValue(value: unknown): string {
  if (typeof value === 'string') return renderText(value)
  if (Array.isArray(value)) return renderList(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const count = Object.keys(value).length
  return `an object with ${count} ${count === 1 ? 'member' : 'members'}`
}

function renderText(text: string): string {
  const cut = text.slice(0, longest.text)
  const open = hideUrlSecrets(cut).replace(/[^\s"'`,;()<>[\]{}]+/g, (word) =>
    isCredentialText(word) ? secretMark : word,
  )
  const safe = isCredentialText(open) ? secretMark : toOneLine(open)
  if (safe === '') return 'an empty text'
  return text.length > longest.text ? `${safe}… (${text.length} characters)` : safe
}

function renderList(items: readonly unknown[]): string {
  const first = items.slice(0, longest.items).map((item) => (Array.isArray(item) ? 'a list' : renderValue(item)))
  const more = items.length > longest.items ? `, … (${items.length} in all)` : ''
  return items.length === 0 ? 'none (an empty list)' : `${first.join(', ')}${more}`
}

function renderName(name: string): string {
  return toOneLine(isCredentialText(name) ? secretMark : name.slice(0, longest.name)) || 'a claim without a name'
}
