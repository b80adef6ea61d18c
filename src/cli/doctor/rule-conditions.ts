import { type CheckStatus, type ExchangeCheck, renderClaim } from '../../client/doctor/exchange-check.ts'
import { isMatch } from '../../gateway/federation/rule-conditions.ts'
import type { Issuer, Rule } from '../../gateway/federation/trust.ts'

/** The payload of a JWT. */
export type Claims = Readonly<Record<string, unknown>>

/** One condition, and whether it is met. */
export function check(
  what: string,
  isMet: boolean,
  { message, hint }: Pick<ExchangeCheck, 'message' | 'hint'>,
): ExchangeCheck {
  const status: CheckStatus = isMet ? 'met' : 'unmet'
  return { what, status, message, ...(hint !== undefined && { hint }) }
}

/** Whether a token comes from the issuer of a rule. */
export function validateIssuer({ issuer }: Issuer, { iss }: Claims): ExchangeCheck {
  return check('iss', iss === issuer, {
    message: `it is from ${renderClaim(iss)}; the rule is for ${renderClaim(issuer)}`,
    hint: `use a token of that issuer, or register this one, in the same letters: gatepass gateway federation issuer`,
  })
}

/** Each condition of a rule on the claims of a token. */
export function validateConditions({ conditions }: Rule, claims: Claims): ExchangeCheck[] {
  const { audience, subject } = conditions
  const patterns = Object.entries({ ...conditions.claims, sub: subject })
  const aud = check('aud', [claims.aud].flat().includes(audience), {
    message: `it is for ${renderClaim(claims.aud)}; the rule asks for ${renderClaim(audience)}`,
    hint: `have the identity token made for ${renderClaim(audience)}: option audience, or the identity provider`,
  })
  const others = patterns.map(([name, pattern]) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined
    return check(name === 'sub' ? name : `claim ${name}`, isMatch(pattern, value), {
      message: `it says ${renderClaim(value)}; the rule asks for ${renderClaim(pattern)}`,
      hint: `make a rule that takes ${name} ${renderClaim(value)}, or use the identity that this one is for`,
    })
  })
  return [aud, ...others]
}
