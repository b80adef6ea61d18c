import { isObject } from '../../runtime/values/json-value.ts'
import type { JwtTrust } from '../policy/policy.ts'
import type { TokenBinding } from '../verdict.ts'
import type { SignedJwt } from './parse-signed-jwt.ts'

/**
 * Returns whether the token is bound in a way that this verifier can check, and that its issuer's entry permits. The proof itself belongs
 * to a request, and is checked with the request.
 */
export function examineConfirmation({ jwt: { claims }, trust }: ConfirmationFacts): ConfirmationResult {
  const binding = parseConfirmation(claims)
  if (binding === 'unknown')
    return {
      outcome: 'fail',
      note: 'it is bound in a way of which no proof is seen here (cnf)',
      reason: 'unknown-kind',
    }
  const isAccepted = trust?.boundTo?.some((kind) => binding?.[kind] !== undefined) ?? true
  const note = describeBinding(binding)
  if (isAccepted) return { outcome: 'pass', note }
  const wanted = trust?.boundTo?.map((kind) => bindingNames[kind]).join(' or ')
  return { outcome: 'fail', note: `${note}, and has to be bound to ${wanted}`, reason: 'unknown-kind' }
}

/** The facts that {@link examineConfirmation} reads. */
interface ConfirmationFacts {
  readonly jwt: Pick<SignedJwt, 'claims'>
  readonly trust: Pick<JwtTrust, 'boundTo'> | undefined
}

/** The result of {@link examineConfirmation}, with a sentence about it. */
type ConfirmationResult =
  | { readonly outcome: 'pass'; readonly note: string }
  | { readonly outcome: 'fail'; readonly note: string; readonly reason: 'unknown-kind' }

/** Parses the certificate and the key to which the claims bind a token; `undefined` for a bearer token, `unknown` for any other binding. */
export function parseConfirmation(claims: Readonly<Record<string, unknown>>): TokenBinding | undefined | 'unknown' {
  if (!Object.hasOwn(claims, 'cnf')) return undefined
  if (!isObject(claims.cnf)) return 'unknown'
  const { 'x5t#S256': certificate, jkt: key, ...others } = claims.cnf
  if (Object.keys(others).length > 0 || (certificate === undefined && key === undefined)) return 'unknown'
  if (!isDigest(certificate) || !isDigest(key)) return 'unknown'
  return { certificate, key }
}

/** Returns whether a value is a SHA-256 in base64url, or absent. */
function isDigest(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && /^[\w-]{43}$/.test(value))
}

const bindingNames = { certificate: 'a client certificate', key: 'a key (DPoP)' } as const

function describeBinding(binding: TokenBinding | undefined): string {
  if (!binding) return 'it is a bearer token'
  const kinds = (['certificate', 'key'] as const).filter((kind) => binding[kind] !== undefined)
  return `it is bound to ${kinds.map((kind) => bindingNames[kind]).join(' and ')}, of which each request needs a proof`
}
