import { HelperError } from '../../runtime/failure.ts'
import { isCredentialText } from '../../runtime/hiding/credential-text.ts'
import { parseTokenHeaders, requireTokenText, type TokenPlace } from '../token-members.ts'
import { type PrintedEnd, parseEnd } from './parse-end.ts'
import type { Printed } from './printed.ts'

type Members = Readonly<Record<string, unknown>>

/** Members that are a token, and what a document with one is called. */
const tokenMembers: Readonly<Record<string, string>> = {
  token: 'JSON with a "token"',
  access_token: 'a token response (RFC 6749, section 5.1)',
  accessToken: 'JSON with an "accessToken"',
  id_token: 'JSON with an "id_token"',
  idToken: 'JSON with an "idToken"',
}

/** Members that say when it ends. The first that says it clearly counts: some programs write a local time without its zone beside it. */
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

/**
 * Reads a JSON object with one token, such as our own with `token` and `headers`, or a token response.
 * @throws {HelperError} `not-configured` for one in which no or several members may be the token.
 */
export function parseTokenDocument(
  document: unknown,
  { name, awsKeysHint }: { readonly name: string; readonly awsKeysHint: string },
): Printed {
  const members = toMembers(document)
  if (Object.hasOwn(members, 'AccessKeyId') && Object.hasOwn(members, 'SecretAccessKey'))
    throw refuse(`${name} printed AWS keys (credential_process), and no part of them is a bearer token`, awsKeysHint)
  const found = Object.keys(tokenMembers).filter((member) => typeof members[member] === 'string')
  const [member] = found
  if (member === undefined || found.length > 1) throw refuseMembers(name, members, found)
  refuseOtherType(members.token_type ?? members.tokenType, name)
  const place: TokenPlace = { name: `"${member}" of what ${name} printed`, verb: 'have it print' }
  return {
    token: requireTokenText(String(members[member]), place),
    headers:
      member === 'token' ? parseTokenHeaders(members.headers, { ...place, name: `what ${name} printed` }) : undefined,
    end: findEnd(members),
    shape: tokenMembers[member] ?? 'JSON',
  }
}

/**
 * Reads the document of a Kubernetes exec plugin: `status.token` and `status.expirationTimestamp`.
 * @throws {HelperError} `not-configured` for another version, or one with a client certificate alone.
 */
export function parseExecCredential(document: unknown, name: string): Printed {
  const { kind, apiVersion, status } = toMembers(document)
  if (kind !== 'ExecCredential' || !/^client\.authentication\.k8s\.io\/v1(?:beta1)?$/.test(String(apiVersion)))
    throw refuse(
      `${name} printed no ExecCredential of client.authentication.k8s.io/v1 or v1beta1`,
      'have it print one of these versions, or set output to what it prints',
    )
  const { token, expirationTimestamp } = toMembers(status)
  if (typeof token !== 'string')
    throw refuse(
      `${name} printed an ExecCredential without "status.token"`,
      'name a program that gives a token: a client certificate cannot be sent to a gateway as one',
    )
  return {
    token: requireTokenText(token, { name: `"status.token" of what ${name} printed`, verb: 'have it print' }),
    end: findEnd({ expirationTimestamp }),
    shape: 'an ExecCredential',
  }
}

function findEnd(members: Members): PrintedEnd | undefined {
  for (const member of endMembers) {
    const end = parseEnd(members[member])
    if (typeof end === 'object') return end
  }
  return undefined
}

/** Of a token exchange, `N_A` is the type of one that is used in another way (RFC 8693, section 2.2.1). */
function refuseOtherType(type: unknown, name: string): void {
  if (typeof type !== 'string' || /^(?:bearer|n_a)$/i.test(type)) return
  throw refuse(`${name} printed a token whose type is not Bearer`, 'have it print a bearer token')
}

function refuseMembers(name: string, members: Members, found: readonly string[]): HelperError {
  if (found.length > 1)
    return refuse(
      `${name} printed JSON in which ${found.join(' and ')} may be the token`,
      `name one of them with token-pointer, such as /${found[0]}`,
    )
  const names = Object.keys(members).filter((member) => /^[\w.-]{1,40}$/.test(member) && !isCredentialText(member))
  const list = names.length === 0 ? '' : `; it has ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
  return refuse(
    `${name} printed JSON in which no member is known to be the token${list}`,
    'say where it is with token-pointer, such as /data/token',
  )
}

function toMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function refuse(message: string, hint: string): HelperError {
  return new HelperError('not-configured', message, hint)
}
