// The functions, rules and types with which the rows of the table of fields are defined.

import { bearerTokenTypes, redirectHosts, redirectPorts } from '../contract/oauth-names.ts'
import { type CredentialKind, type Field, toFieldName, type ValueRule } from './field.ts'

/** Defines the fields of `oidc`, which are the same in both kinds of sign-in. No release reads one before the row of their object. */
export function defineOidcFields(kind: CredentialKind, { flat, since: objectSince }: FieldRow): Field[] {
  return defineFields('inference.credential.oidc.', oidcRows, kind).map((field) => ({
    ...field,
    flat: `${flat}.${toFieldName(field)}`,
    ...(objectSince && { since: chooseLaterRelease(field.since ?? objectSince, objectSince) }),
  }))
}

/** The rules that rows of the field table share. */
export const rules = {
  text: { type: 'text' },
  nonEmpty: { type: 'text', minLength: 1 },
  uri: { type: 'text', format: 'uri' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  choice: <const Choice extends string>(...choices: readonly Choice[]) => ({ type: 'text', choices }) as const,
  integer: (min: number, max: number) => ({ type: 'integer', min, max }) as const,
} as const

/** The fields of `oidc`. */
export const oidcRows = {
  clientId: defineOidcField(rules.nonEmpty, 'Client ID of the app registration: a public client with PKCE.', {
    required: true,
  }),
  issuer: defineOidcField(rules.uri, 'HTTPS issuer with discovery; set it, or both URLs.'),
  authorizationUrl: defineOidcField(rules.uri, 'HTTPS authorization endpoint, where there is no issuer.'),
  tokenUrl: defineOidcField(rules.uri, 'HTTPS token endpoint, where there is no issuer.'),
  bearerTokenType: defineOidcField(
    rules.choice(...bearerTokenTypes),
    'Which token the gateway gets; `access_token` where it checks tokens as an OAuth resource server.',
    { default: bearerTokenTypes[0] },
  ),
  scopes: defineOidcField(rules.nonEmpty, 'Scopes to ask for, with spaces between them; needed with `access_token`.'),
  appendOfflineAccess: defineOidcField(
    rules.boolean,
    'Adds `offline_access` to the scopes, so that there is a refresh token.',
    { since: '1.11847.0', default: true },
  ),
  resource: defineOidcField(
    rules.nonEmpty,
    'Resource indicator (RFC 8707) of the gateway; leave unset for a hosted enterprise directory.',
    { since: '1.30096.1' },
  ),
  redirectPort: defineOidcField(
    { type: 'integer', ...redirectPorts },
    'Fixed loopback port for the sign-in redirect; otherwise any free one.',
  ),
  redirectHost: defineOidcField(
    rules.choice(...redirectHosts),
    'Host of the sign-in redirect; `localhost` only where the registration says so.',
    { since: '2.110.0' },
  ),
  additionalRedirectReferrerHosts: defineOidcField(
    rules.text,
    'More hosts, with spaces between them, from which the sign-in may come back.',
    { since: '1.20186.0' },
  ),
}

/** Defines one row of `oidc`; `since` if a later release than that of the object reads it first. Its flat key ends like its path. */
function defineOidcField<const Rule extends ValueRule>(
  rule: Rule,
  summary: string,
  { since, ...details }: FieldDetails & Pick<Field, 'since'> = {},
): FieldRow<Rule> {
  return defineField(undefined, rule, since, summary, details)
}

/** A field without its place in the document. */
export interface FieldRow<Rule extends ValueRule = ValueRule> extends Omit<Field, 'path' | 'kind'> {
  readonly rule: Rule
}

/** Defines one row, whose name is its key in the rows of an object. */
export function defineField<const Rule extends ValueRule>(
  flat: string | undefined,
  rule: Rule,
  since: string | undefined,
  summary: string,
  details: FieldDetails = {},
): FieldRow<Rule> {
  return { ...(flat && { flat }), rule, ...(since && { since }), availability: 'both', ...details, summary }
}

/**
 * Defines the fields of an object by its rows.
 * @param prefix The path of the object with a dot behind it; empty for the document itself.
 * @param kind The only kind of credential that has them.
 */
export function defineFields(prefix: string, rows: Readonly<Record<string, FieldRow>>, kind?: CredentialKind): Field[] {
  return Object.entries(rows).map(([name, row]) => ({ path: `${prefix}${name}`, ...(kind && { kind }), ...row }))
}

/** The type of an object with the fields of these rows, each of which can be absent. */
export type FieldValues<Rows extends Readonly<Record<string, FieldRow>>> = {
  readonly [Name in keyof Rows]?: RuleValue<Rows[Name]['rule']>
}

type RuleValue<Rule extends ValueRule> = Rule extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : ValueTypes[Rule['type']]

interface ValueTypes {
  readonly text: string
  readonly integer: number
  readonly number: number
  readonly boolean: boolean
  readonly 'text-list': readonly string[]
  readonly 'header-map': Readonly<Record<string, string>>
  readonly object: object
}

/** The optional parts of a row. */
type FieldDetails = Omit<Field, 'path' | 'flat' | 'rule' | 'since' | 'summary' | 'availability'>

/** Compares client releases by the numbers of their parts: 1.10.0 is later than 1.9.9. Missing parts count as 0. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((release) => release.split('.').map(Number)) as [number[], number[]]
  for (let part = 0; part < Math.max(left.length, right.length); part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

function chooseLaterRelease(a: string, b: string): string {
  return compareReleases(a, b) < 0 ? b : a
}

/** Returns whether the text is a release: whole numbers with dots between them. */
export function isRelease(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9})*$/.test(text)
}
