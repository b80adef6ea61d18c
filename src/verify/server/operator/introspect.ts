import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refusalReasons } from '../../../contract/refusal-reasons.ts'
import type { Secret } from '../../../runtime/secret.ts'
import type { Verdict } from '../../verdict.ts'
import type { Verifier } from '../../verifier/verifier.ts'
import { refusalHeader } from '../gateway/answer.ts'
import type { AnsweredRequest } from '../gateway/verifier-listener.ts'
import { type PlainAnswer, refuseRequest } from './admin-listener.ts'
import { readForm } from './read-form.ts'

interface IntrospectionParts {
  readonly verifier: Verifier
  /** Who may ask: everybody who can connect, whoever knows a secret, or nobody. */
  readonly access: 'everybody' | 'nobody' | { readonly secret: Secret }
  readonly onAnswer: (answered: AnsweredRequest) => void
}

/** Answers RFC 7662, section 2, for gateways that ask in no other way. A request is a use of the token like any other. */
export function createIntrospect({ verifier, access, onAnswer }: IntrospectionParts) {
  return async (request: IncomingMessage): Promise<PlainAnswer> => {
    if (access === 'nobody')
      return refuseRequest(403, 'beyond this machine introspection needs --introspection-secret-file')
    if (access !== 'everybody' && !isPermitted(request.headers.authorization, access.secret))
      return refuseRequest(401, 'this is not the secret of introspection', {
        'www-authenticate': 'Basic realm="gatepass"',
      })
    const form = await readForm(request)
    const token = form?.getAll('token') ?? []
    if (token.length !== 1) return refuseRequest(400, 'the body has to be a form with exactly one token')
    const verdict = await verifier.verify(token[0]!)
    onAnswer({ verdict })
    return toIntrospection(verdict)
  }
}

/** What is said of a token. Where nobody can tell now, the answer is no verdict, which a gateway might remember. */
export function toIntrospection(verdict: Verdict): PlainAnswer {
  const type = { 'content-type': 'application/json' }
  if (verdict.outcome === 'accepted') return { status: 200, headers: type, body: JSON.stringify(toMembers(verdict)) }
  const { reason } = verdict.refusal
  const { status, summary } = refusalReasons[reason]
  if (status >= 500) return refuseRequest(status, summary, { [refusalHeader]: reason })
  return { status: 200, headers: { ...type, [refusalHeader]: reason }, body: JSON.stringify({ active: false }) }
}

/** The headers that name the caller as members, and those of the RFC, which no header can take the place of. */
function toMembers({ identity, rule, headers }: Extract<Verdict, { outcome: 'accepted' }>) {
  const { issuer, subject, issuedAt, expiresAt } = identity
  return {
    ...headers,
    rule,
    active: true,
    iss: issuer,
    sub: subject,
    username: subject,
    exp: Math.floor(expiresAt / 1000),
    ...(issuedAt !== undefined && { iat: Math.floor(issuedAt / 1000) }),
  }
}

/** The secret as a bearer token, or as the password of any user, as gateways send that of a client (RFC 6749, section 2.3.1). */
function isPermitted(authorization: string | undefined, secret: Secret): boolean {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '') ?? []
  const isBasic = scheme.toLowerCase() === 'basic'
  const given = isBasic
    ? Buffer.from(value, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/, '')
    : value
  // Of equal length, whatever was sent, so that the comparison tells nothing.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret.reveal(), 'buffer'))
}
