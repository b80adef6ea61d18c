// The functions and rules with which the rows of the table of fields are defined.

import { bearerTokenTypes, redirectPorts } from '../contract/oauth-names.ts'
import type { CredentialKind } from './document.ts'
import type { Field, ValueRule } from './field.ts'

/**
 * Defines the rows of `oidc`, which are the same in both kinds of sign-in.
 * @param flat The flat key of the object that holds them.
 * @param objectSince First client release that reads the object, and so the earliest for any field in it.
 */
export function defineOidcFields(flat: string, objectSince: string): Field[] {
  const rows = oidcRows.map(([key, rule, summary, { since = objectSince, ...more } = {}]) =>
    defineField(key, key, rule, chooseLaterRelease(since, objectSince), summary, more),
  )
  return defineFields('oidc', rows).map((field) => ({ ...field, flat: `${flat}.${field.flat}` }))
}

/** The rules that rows of the field table share. */
export const rules = {
  text: { type: 'text' },
  nonEmpty: { type: 'text', minLength: 1 },
  uri: { type: 'text', format: 'uri' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  choice: (...choices: string[]) => ({ type: 'text', choices }) as const,
  integer: (min: number, max: number) => ({ type: 'integer', min, max }) as const,
} as const

/** A row of `oidc`, whose flat key ends like its path; `since` if a later release than that of the object reads it first. */
type OidcRow = readonly [key: string, rule: ValueRule, summary: string, more?: FieldDetails & Pick<Field, 'since'>]

const oidcRows: readonly OidcRow[] = [
  ['clientId', rules.nonEmpty, 'Client ID of the app registration: a public client with PKCE.', { required: true }],
  ['issuer', rules.uri, 'HTTPS issuer with discovery; set it, or both URLs.'],
  ['authorizationUrl', rules.uri, 'HTTPS authorization endpoint, where there is no issuer.'],
  ['tokenUrl', rules.uri, 'HTTPS token endpoint, where there is no issuer.'],
  [
    'bearerTokenType',
    rules.choice(...bearerTokenTypes),
    'Which token the gateway gets; `access_token` where it checks tokens as an OAuth resource server.',
    { default: bearerTokenTypes[0] },
  ],
  ['scopes', rules.nonEmpty, 'Scopes to ask for, with spaces between them; needed with `access_token`.'],
  [
    'appendOfflineAccess',
    rules.boolean,
    'Adds `offline_access` to the scopes, so that there is a refresh token.',
    { since: '1.11847.0', default: true },
  ],
  [
    'resource',
    rules.nonEmpty,
    'Resource indicator (RFC 8707) of the gateway; leave unset for a hosted enterprise directory.',
    { since: '1.30096.1' },
  ],
  [
    'redirectPort',
    { type: 'integer', ...redirectPorts },
    'Fixed loopback port for the sign-in redirect; otherwise any free one.',
  ],
  [
    'redirectHost',
    rules.choice('127.0.0.1', 'localhost'),
    'Host of the sign-in redirect; `localhost` only where the registration says so.',
    { since: '2.110.0' },
  ],
  [
    'additionalRedirectReferrerHosts',
    rules.text,
    'More hosts, with spaces between them, from which the sign-in may come back.',
    { since: '1.20186.0' },
  ],
]

/** Defines one row; its path is relative to the object that holds the field. */
export function defineField(
  path: string,
  flat: string | undefined,
  rule: ValueRule,
  since: string | undefined,
  summary: string,
  details: FieldDetails = {},
): Field {
  return { path, ...(flat && { flat }), rule, ...(since && { since }), availability: 'both', ...details, summary }
}

/** Defines the rows of an object, with their paths below its path. */
export function defineFields(path: string, rows: readonly Field[]): Field[] {
  return rows.map((field) => ({ ...field, path: `${path}.${field.path}` }))
}

/** Marks rows as fields that belong to one kind of credential alone. */
export function defineForKind(kind: CredentialKind, rows: readonly Field[]): Field[] {
  return rows.map((field) => ({ ...field, kind }))
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
