import { toOneLine } from '../../../runtime/failure.ts'
import { hideUrlSecrets } from '../../../runtime/hide-secrets.ts'
import { isCredentialText } from '../../../runtime/hiding/credential-text.ts'
import { secretMark } from '../../../runtime/secret.ts'
import type { Fact } from './description.ts'

type Claims = Readonly<Record<string, unknown>>

/**
 * Claims that say who a token stands for, for whom it is and what it permits, by which policies decide: of RFC 7519, RFC 8693, RFC
 * 9068 and OpenID Connect, then of providers. A path leads into an object.
 */
const shown: readonly (readonly string[])[] = [
  ...['iss', 'sub', 'aud', 'azp', 'client_id', 'cid', 'appid', 'app_displayname', 'idtyp', 'resource'].map(asPath),
  ...['email', 'email_verified', 'preferred_username', 'upn', 'unique_name', 'name', 'oid', 'tid', 'hd'].map(asPath),
  ...['scope', 'scp', 'roles', 'groups', 'entitlements', 'acr', 'amr', 'org_id', 'org_name'].map(asPath),
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
  ].map(asPath),
  // GitLab
  ...['project_path', 'namespace_path', 'ref_type', 'ref_protected', 'pipeline_source', 'user_login'].map(asPath),
  // Kubernetes
  ...[['namespace'], ['serviceaccount', 'name'], ['pod', 'name'], ['node', 'name']].map((path) => [
    'kubernetes.io',
    ...path,
  ]),
  // Google
  ...['project_id', 'zone', 'instance_name'].map((name) => ['google', 'compute_engine', name]),
  // Entra managed identities
  ...['xms_mirid', 'xms_az_rid'].map(asPath),
]

/** Claims that are described as times, or as numbers of no use to a person. */
const times = ['exp', 'iat', 'nbf']

/** The claims that are shown, and the names of the others. @param wanted Names that a person has asked for. */
export function describeClaims(claims: Claims, wanted: readonly string[]): { facts: Fact[]; hidden: string[] } {
  const paths = [...shown, ...wanted.filter((name) => !shown.some((path) => path[0] === name)).map(asPath)]
  const facts = paths.flatMap((path) => {
    const value = findMember(claims, path)
    return value === undefined ? [] : [{ name: path.join(' '), value: renderValue(value) }]
  })
  const known = new Set([...paths.map(([first]) => first), ...times])
  const hidden = Object.keys(claims).filter((name) => !known.has(name))
  return { facts, hidden: hidden.map(renderName).toSorted() }
}

function asPath(name: string): string[] {
  return [name]
}

/** Own members only: a claim may be called `constructor`. */
function findMember(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined
    value = (value as Claims)[name]
  }
  return value
}

/** How much of a text and of a list is shown. */
const longest = { text: 200, name: 60, items: 10 } as const

/** A claim on one line. Its issuer may write anything: what is deep is counted, and what looks like a credential is not shown. */
export function renderValue(value: unknown): string {
  if (typeof value === 'string') return renderText(value)
  if (Array.isArray(value)) return renderList(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const count = Object.keys(value).length
  return `an object with ${count} ${count === 1 ? 'member' : 'members'}`
}

function renderList(items: readonly unknown[]): string {
  const first = items.slice(0, longest.items).map((item) => (Array.isArray(item) ? 'a list' : renderValue(item)))
  const more = items.length > longest.items ? `, … (${items.length} in all)` : ''
  return items.length === 0 ? 'none (an empty list)' : `${first.join(', ')}${more}`
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

function renderName(name: string): string {
  return toOneLine(isCredentialText(name) ? secretMark : name.slice(0, longest.name)) || 'a claim without a name'
}
