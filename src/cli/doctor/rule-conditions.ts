import { type ExchangeCheck, quoteClaim, type Verdict } from '../../client/doctor/exchange-check.ts'
import { fits } from '../../gateway/federation/rule-conditions.ts'
import type { Issuer, Rule } from '../../gateway/federation/trust.ts'

export type Claims = Readonly<Record<string, unknown>>

/** What was looked at, and how it came out. */
export function check(what: string, isMet: boolean, { says, way }: Pick<ExchangeCheck, 'says' | 'way'>): ExchangeCheck {
  const verdict: Verdict = isMet ? 'met' : 'unmet'
  return { what, verdict, says, ...(way !== undefined && { way }) }
}

/** Whether a token is of the issuer that a rule is for. */
export function validateIssuer({ issuer }: Issuer, { iss }: Claims): ExchangeCheck {
  return check('iss', iss === issuer, {
    says: `it is from ${quoteClaim(iss)}; the rule is for ${quoteClaim(issuer)}`,
    way: `use a token of that issuer, or register this one, in the same letters: gatepass gateway federation issuer`,
  })
}

/** Each condition of a rule on the claims of a token. */
export function validateConditions({ conditions }: Rule, claims: Claims): ExchangeCheck[] {
  const { audience, subject } = conditions
  const patterns = Object.entries({ ...conditions.claims, sub: subject })
  const aud = check('aud', [claims.aud].flat().includes(audience), {
    says: `it is for ${quoteClaim(claims.aud)}; the rule asks for ${quoteClaim(audience)}`,
    way: `have the identity token made for ${quoteClaim(audience)}: option audience, or the identity provider`,
  })
  const others = patterns.map(([name, pattern]) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined
    return check(name === 'sub' ? name : `claim ${name}`, fits(pattern, value), {
      says: `it says ${quoteClaim(value)}; the rule asks for ${quoteClaim(pattern)}`,
      way: `make a rule that takes ${name} ${quoteClaim(value)}, or use the identity that this one is for`,
    })
  })
  return [aud, ...others]
}
