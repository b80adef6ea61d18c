import { HelperError } from '../runtime/failure.ts'

type Claims = Readonly<Record<string, unknown>>

/**
 * The claims of a JWT that header templates ask for, by the name that they use: `claims.sub`, `claims.user.email`, or
 * `claims[https://sts.amazonaws.com/].aws_account` for a name of other characters. A list of texts is joined by commas.
 * @param token Names the JWT in messages.
 * @throws {HelperError} `not-configured` for a claim that the JWT does not have, or that is no text.
 */
export function toClaimFacts(
  claims: Claims,
  wanted: ReadonlySet<string> | undefined,
  token: string,
): Record<string, string> {
  const names = [...(wanted ?? [])].filter((name) => /^claims[.[]/.test(name))
  return Object.fromEntries(names.map((name) => [name, requireClaim(name, claims, token)]))
}

function requireClaim(name: string, claims: Claims, token: string): string {
  let value: unknown = claims
  for (const member of parseMembers(name)) {
    const object = isObject(value) ? value : {}
    if (!Object.hasOwn(object, member) || object[member] === null)
      throw refuse(`a header asks for {${name}}, which ${token} does not have; ${describeMembers(object)}`)
    value = object[member]
  }
  const text = toText(value)
  if (text !== undefined) return text
  const members = isObject(value) ? `; ${describeMembers(value)}` : ''
  throw refuse(`a header asks for {${name}}, which is no text in ${token}${members}`)
}

function refuse(message: string): HelperError {
  return new HelperError('not-configured', message, 'name a claim that it has, or have the identity provider add it')
}

function parseMembers(name: string): string[] {
  const members = name.matchAll(/\.([\w-]+)|\[(["']?)([^\]]+?)\2\]/g)
  return [...members].map(([, dotted, , bracketed]) => dotted ?? bracketed ?? '')
}

/** `undefined` for an object, and for a list that could not be told from another one. */
function toText(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map((item) => (Array.isArray(item) ? undefined : toText(item)))
    const isClear = texts.every((text) => text !== undefined && !text.includes(','))
    return isClear ? texts.join(',') : undefined
  }
  return typeof value === 'object' ? undefined : String(value)
}

/** Their issuer may write anything, so only some of the names are repeated, and none that is long. */
function describeMembers(object: Claims): string {
  const names = Object.keys(object).filter((name) => name.length <= 64)
  if (names.length === 0) return 'it has no members there'
  return `it has ${names.toSorted().slice(0, 30).join(', ')}${names.length > 30 ? ', …' : ''}`
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
