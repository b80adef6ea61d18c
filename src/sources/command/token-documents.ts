// Parses JSON in which a program prints a token; `parse-printed.ts` has all forms of its output.

import type { Headers } from '../../contract/headers.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isCredentialText } from '../../runtime/text/credential-text.ts'
import { type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { parseTokenHeaders, requireTokenText, type TokenLocation } from '../token-members.ts'

/**
 * Parses a JSON object with one token, such as our own with `token` and `headers`, or a token response (RFC 6749, section 5.1).
 * @throws {HelperError} `not-configured` if no member, or more than one, may be the token.
 */
export function parseTokenDocument(
  document: unknown,
  { name, awsKeysHint }: { readonly name: string; readonly awsKeysHint: string },
): Printed {
  const members = toObject(document)
  if (Object.hasOwn(members, 'AccessKeyId') && Object.hasOwn(members, 'SecretAccessKey'))
    throw new HelperError(
      'not-configured',
      `${name} printed AWS keys (credential_process), and no part of them is a bearer token`,
      awsKeysHint,
    )
  const found = Object.keys(tokenMembers).filter((member) => typeof members[member] === 'string')
  const [member] = found
  if (member === undefined || found.length > 1) throw toMembersFailure(name, members, found)
  refuseOtherType(members.token_type ?? members.tokenType, name)
  const location: TokenLocation = { name: `"${member}" of what ${name} printed`, verb: 'have it print' }
  return {
    token: requireTokenText(String(members[member]), location),
    headers:
      member === 'token'
        ? parseTokenHeaders(members.headers, { ...location, name: `what ${name} printed` })
        : undefined,
    end: findEnd(members),
    shape: tokenMembers[member] ?? 'JSON',
  }
}

/** The members that may hold the token, with the name of such a document. */
const tokenMembers: Readonly<Record<string, string>> = {
  token: 'JSON with a "token"',
  access_token: 'a token response (RFC 6749, section 5.1)',
  accessToken: 'JSON with an "accessToken"',
  id_token: 'JSON with an "id_token"',
  idToken: 'JSON with an "idToken"',
}

/**
 * Parses the document of a Kubernetes exec plugin: `status.token` and `status.expirationTimestamp`.
 * @throws {HelperError} `not-configured` for another version, or for a document with only a client certificate.
 */
export function parseExecCredential(document: unknown, name: string): Printed {
  const { kind, apiVersion, status } = toObject(document)
  if (kind !== 'ExecCredential' || !/^client\.authentication\.k8s\.io\/v1(?:beta1)?$/.test(String(apiVersion)))
    throw new HelperError(
      'not-configured',
      `${name} did not print an ExecCredential of client.authentication.k8s.io/v1 or v1beta1`,
      'have it print one of these versions, or set output to what it prints',
    )
  const { token, expirationTimestamp } = toObject(status)
  if (typeof token !== 'string')
    throw new HelperError(
      'not-configured',
      `${name} printed an ExecCredential without "status.token"`,
      'name a program that gives a token: a client certificate cannot be sent to a gateway as a token',
    )
  return {
    token: requireTokenText(token, { name: `"status.token" of what ${name} printed`, verb: 'have it print' }),
    end: findEnd({ expirationTimestamp }),
    shape: 'an ExecCredential',
  }
}

function findEnd(members: RawObject): PrintedEnd | undefined {
  for (const member of endMembers) {
    const end = parseEnd(members[member])
    if (typeof end === 'object') return end
  }
  return undefined
}

/** The members with the token's expiry. The first usable one counts, because some programs add a local time without its zone. */
const endMembers = [
  'expiresAt',
  'expires_at',
  'expires_on',
  'expiresOn',
  'expiry',
  'expirationTimestamp',
  'Expiration',
  'expiration',
  'expires_in',
  'expiresIn',
] as const

function toMembersFailure(name: string, members: RawObject, found: readonly string[]): HelperError {
  if (found.length > 1)
    return new HelperError(
      'not-configured',
      `${name} printed JSON in which ${found.join(' and ')} may be the token`,
      `name one of them with token-pointer, such as /${found[0]}`,
    )
  return new HelperError(
    'not-configured',
    `${name} printed JSON in which no member is known to be the token${describeMembers(members)}`,
    'say where it is with token-pointer, such as /data/token',
  )
}

/** Names the members of an object for a message, except a name that may itself be a secret. */
export function describeMembers(members: RawObject): string {
  const names = Object.keys(members).filter((name) => /^[\w.-]{1,40}$/.test(name) && !isCredentialText(name))
  return names.length === 0 ? '' : `; it has ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
}

/** Refuses the token type `N_A`: the token of such an exchange is not an access token (RFC 8693, section 2.2.1). */
function refuseOtherType(type: unknown, name: string): void {
  if (typeof type !== 'string' || /^(?:bearer|n_a)$/i.test(type)) return
  throw new HelperError(
    'not-configured',
    `${name} printed a token whose type is not Bearer`,
    'have it print a bearer token',
  )
}

/** The expiry in a program's output: in milliseconds since the epoch, or in seconds from the issue. */
export type PrintedEnd = { readonly atMs: number } | { readonly inSec: number }

/** A smaller number is seconds from now, because no token lives 31 years. A larger one is a moment. */
const shortestMoment = 1e9

/** A larger number is milliseconds since the epoch. In seconds it would be the year 33658. */
const shortestMs = 1e12

/**
 * Parses a date with its zone (RFC 3339), seconds or milliseconds since the epoch, or seconds from now; numbers may be strings.
 * It is `none` for null, an empty string and the year 1, with which programs say that a token does not expire, and `unclear` for
 * everything else, such as a date without its zone.
 */
export function parseEnd(value: unknown): PrintedEnd | 'none' | 'unclear' {
  if (value === undefined || value === null || value === '') return 'none'
  const number = typeof value === 'string' && /^\d{1,16}(?:\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof number === 'number') return toPrintedEnd(number)
  return typeof value === 'string' ? parseDate(value) : 'unclear'
}

function toPrintedEnd(number: number): PrintedEnd | 'unclear' {
  if (!Number.isFinite(number) || number < 0 || number > 8.64e15) return 'unclear'
  if (number < shortestMoment) return { inSec: number }
  return { atMs: number < shortestMs ? number * 1000 : number }
}

function parseDate(text: string): PrintedEnd | 'none' | 'unclear' {
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d+)?) ?([Zz]|[+-]\d\d:?\d\d)$/.exec(text) ?? []
  if (day === undefined || time === undefined || zone === undefined) return 'unclear'
  const atMs = Date.parse(`${day}T${time.replace(/(\.\d{3})\d+$/, '$1')}${zone.toUpperCase()}`)
  if (Number.isNaN(atMs)) return 'unclear'
  return day.startsWith('0001-') ? 'none' : { atMs }
}

/** The token that a program printed, with the headers and the expiry in its output. */
export interface Printed {
  readonly token: string
  readonly headers?: Headers | undefined
  /** `undefined` if the output does not say it. */
  readonly end: PrintedEnd | undefined
  /** In words, such as "an ExecCredential". */
  readonly shape: string
}
