import { HelperError } from '../failure.ts'
import { isObject } from '../values/json-value.ts'
import { parseClaimPath, toClaimText } from './claim-path.ts'
import type { Claims } from './jwt.ts'

/**
 * Selects the claims of a JWT for header templates, by the names there: `claims.sub`, `claims.user.email`, or
 * `claims[https://sts.amazonaws.com/].aws_account` for a name with other characters. A list of strings is joined by commas.
 * @param token The name of the JWT in messages.
 * @throws {HelperError} `not-configured` for a claim that the JWT does not have, or that cannot be written as text.
 */
export function toClaimFacts(
  claims: Claims,
  wanted: ReadonlySet<string> | undefined,
  token: string,
): Record<string, string> {
  const names = [...(wanted ?? [])].filter(isClaim)
  return Object.fromEntries(names.map((name) => [name, requireClaim(name, claims, token)]))
}

/** Returns whether a fact of a template is a claim: `claims.NAME` or `claims["NAME"]`. */
export function isClaim(name: string): boolean {
  return /^claims[.[]/.test(name)
}

function requireClaim(name: string, claims: Claims, token: string): string {
  let value: unknown = claims
  const [, ...members] = parseClaimPath(name)?.names ?? []
  for (const member of members) {
    const object = isObject(value) ? value : {}
    if (!Object.hasOwn(object, member) || object[member] === null)
      throw toFailure(`a header asks for {${name}}, which ${token} does not have; ${describeMembers(object)}`)
    value = object[member]
  }
  const text = toText(value)
  if (text !== undefined) return text
  const others = isObject(value) ? `; ${describeMembers(value)}` : ''
  throw toFailure(`a header asks for {${name}}, which is not a text in ${token}${others}`)
}

function toFailure(message: string): HelperError {
  return new HelperError('not-configured', message, 'name a claim that it has, or have the identity provider add it')
}

/** Describes the members of an object. The issuer may write anything, so only some names are repeated, and no long ones. */
function describeMembers(object: Claims): string {
  const names = Object.keys(object).filter((name) => name.length <= 64)
  if (names.length === 0) return 'it has no members there'
  return `it has ${names.toSorted().slice(0, 30).join(', ')}${names.length > 30 ? ', …' : ''}`
}

/** Renders a claim as text; `undefined` for an object, and for a list that would be ambiguous when joined. */
function toText(value: unknown): string | undefined {
  if (!Array.isArray(value)) return toClaimText(value)
  const texts = value.map(toClaimText)
  return texts.every((text) => text !== undefined && !text.includes(',')) ? texts.join(',') : undefined
}
