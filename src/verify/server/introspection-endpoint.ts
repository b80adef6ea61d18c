import type { IncomingMessage } from 'node:http'
import { refusalHeader, refusalReasons } from '../../contract/refusal-reasons.ts'
import { isSameCredential } from '../../runtime/network/client-credentials.ts'
import { formType, readRequestBody } from '../../runtime/network/server-request.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Verdict } from '../verdict.ts'
import type { Verifier } from '../verifier/verifier.ts'
import { type PlainAnswer, rejectRequest } from './admin-listener.ts'
import type { AnsweredRequest } from './verifier-listener.ts'

/** The path of the introspection endpoint. */
export const introspectionPath = '/introspect'

/**
 * Creates the introspection endpoint (RFC 7662, section 2), for gateways that support no other way to ask. A request counts as a use of the
 * token.
 */
export function createIntrospectionEndpoint({ verifier, access, onAnswer }: IntrospectionParts) {
  return async (request: IncomingMessage): Promise<PlainAnswer> => {
    if (access === 'nobody')
      return rejectRequest(403, 'beyond this machine introspection needs --introspection-secret-file')
    if (access !== 'everybody' && !isPermitted(request.headers.authorization, access.secret))
      return rejectRequest(401, 'the introspection secret is wrong', {
        'www-authenticate': 'Basic realm="gatepass"',
      })
    const form = await readForm(request)
    const token = form?.getAll('token') ?? []
    if (token.length !== 1) return rejectRequest(400, 'the body has to be a form with exactly one token')
    const verdict = await verifier.verify(token[0]!)
    onAnswer({ verdict })
    return toIntrospection(verdict)
  }
}

interface IntrospectionParts {
  readonly verifier: Verifier
  /** The permitted clients: everybody who can connect, those who know the secret, or nobody. */
  readonly access: 'everybody' | 'nobody' | { readonly secret: Secret }
  readonly onAnswer: (answered: AnsweredRequest) => void
}

/** Accepts the secret as a bearer token, or as the password of any user, as OAuth clients send their secret (RFC 6749, section 2.3.1). */
function isPermitted(authorization: string | undefined, secret: Secret): boolean {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '') ?? []
  const isBasic = scheme.toLowerCase() === 'basic'
  const given = isBasic
    ? Buffer.from(value, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/, '')
    : value
  return isSameCredential(given, secret.reveal())
}

/** Enough for a token and little more. */
const maxBytes = 64 * 1024

/** Reads the form in the body of a request; `undefined` for any other body, and for a body that is too long. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const { text } = await readRequestBody(request, formType, maxBytes)
  return text === undefined ? undefined : new URLSearchParams(text)
}

/**
 * Returns a verdict as an answer. If the verifier cannot decide, or the caller exceeds its rate, the answer is an error, because a gateway
 * might cache a verdict.
 */
function toIntrospection(verdict: Verdict): PlainAnswer {
  const type = { 'content-type': 'application/json' }
  if (verdict.outcome === 'accepted') return { status: 200, headers: type, body: JSON.stringify(toMembers(verdict)) }
  const { reason, retryAfterSec } = verdict.refusal
  const { status, summary } = refusalReasons[reason]
  const retry = retryAfterSec === undefined ? {} : { 'retry-after': String(retryAfterSec) }
  if (status === 429 || status >= 500) return rejectRequest(status, summary, { [refusalHeader]: reason, ...retry })
  return { status: 200, headers: { ...type, [refusalHeader]: reason }, body: JSON.stringify({ active: false }) }
}

/** Returns the headers that name the caller as members, and the members of RFC 7662, which no header can replace. */
function toMembers({ identity, rule, headers }: Extract<Verdict, { outcome: 'accepted' }>) {
  const { issuer, subject, issuedAt, claims, expiresAt } = identity
  return {
    ...headers,
    rule,
    active: true,
    iss: issuer,
    sub: subject,
    username: subject,
    // The answer contains the claim and not `expiresAt`, because readers of `exp` (RFC 7662, section 2.2) do not expect the clock skew in
    // it.
    exp: Math.floor(typeof claims.exp === 'number' ? claims.exp : expiresAt / 1000),
    ...(issuedAt !== undefined && { iat: Math.floor(issuedAt / 1000) }),
  }
}
