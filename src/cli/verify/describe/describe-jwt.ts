import { type Jwt, parseJwt } from '../../../runtime/tokens/jwt.ts'
import { describeJwtPurpose } from '../../../runtime/tokens/jwt-purpose.ts'
import type { Description, TokenLife } from './description.ts'
import { describeClaims, renderValue } from './shown-claims.ts'

/** Describes a JWT. @param wanted Names of claims that are shown besides the usual ones. */
export function describeJwt(token: string, wanted: readonly string[]): Omit<Description, 'kind'> {
  const jwt = parseJwt(token) ?? { header: {}, claims: {}, signature: '' }
  const { facts, hidden } = describeClaims(jwt.claims, wanted)
  const header = ['alg', 'kid', 'typ'].filter((name) => Object.hasOwn(jwt.header, name))
  const signed = header.map((name) => ({ name: `${name} (header)`, value: renderValue(jwt.header[name]) }))
  return {
    title: describeJwtPurpose(jwt),
    facts: [...facts, ...signed],
    hidden,
    life: toLife(jwt.claims),
    warnings: listWarnings(jwt),
  }
}

function toLife(claims: Jwt['claims']): TokenLife {
  const [issuedAt, notBefore, expiresAt] = ['iat', 'nbf', 'exp'].map((name) => toMs(claims[name]))
  return {
    ...(issuedAt !== undefined && { issuedAt }),
    ...(notBefore !== undefined && { notBefore }),
    ...(expiresAt !== undefined && { expiresAt, source: 'exp' }),
  }
}

/** The end of the year 9999, the last that a date has in four digits. */
const latestSec = 253_402_300_799

function toMs(sec: unknown): number | undefined {
  return typeof sec === 'number' && sec >= 0 && sec <= latestSec ? sec * 1000 : undefined
}

function listWarnings({ header, claims, signature }: Jwt): string[] {
  const warnings: string[] = []
  if (header.alg === 'none' || signature === '') warnings.push('it is not signed: anybody can write such a token')
  if (claims.exp === undefined) warnings.push('it does not say when it ends (exp)')
  if (/^HS\d/.test(String(header.alg)))
    warnings.push('it is signed with a shared secret (HMAC): whoever can verify it can also make one')
  if (['jku', 'x5u', 'jwk', 'x5c'].some((name) => Object.hasOwn(header, name)))
    warnings.push('its header brings a key, or the address of one, which nobody must trust')
  if (Object.hasOwn(claims, 'cnf'))
    warnings.push('it is bound to a key (cnf): alone it is of no use to a gateway that checks that')
  return warnings
}
