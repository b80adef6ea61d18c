import { isRecord } from '../../runtime/json/json-value.ts'

/** Where a claim is: its name, and the names of members within it. */
export interface ClaimPath {
  /** As it is written in the policy. */
  readonly text: string
  readonly names: readonly [string, ...string[]]
}

/** A name of letters, digits, `_` and `-`, or any other one in square brackets. */
const part = /(?:^|\.)([\w-]+)|\[([^[\]]+)\]/y

/**
 * Parses `email`, `realm_access.roles` or `[https://sts.amazonaws.com/].aws_account`, as in the header templates of helpers: a name
 * with other characters than letters, digits, `_` and `-` stands in square brackets. `undefined` for any other text.
 */
export function parseClaimPath(text: string): ClaimPath | undefined {
  const names: string[] = []
  let at = 0
  while (at < text.length) {
    part.lastIndex = at
    const [found, plain, bracketed] = part.exec(text) ?? []
    if (found === undefined) return undefined
    names.push(plain ?? bracketed!)
    at += found.length
  }
  const [first, ...others] = names
  return first === undefined ? undefined : { text, names: [first, ...others] }
}

/** The value of a claim; `undefined` where it is missing. Members of the claims themselves only, never inherited ones. */
export function findClaim(claims: Readonly<Record<string, unknown>>, { names }: ClaimPath): unknown {
  return names.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    claims,
  )
}

/**
 * The texts of a claim, of which patterns match one: a text, a number or a boolean as JSON writes it, or the items of a list that
 * are such. None where it is missing, or an object, or a number that JSON cannot hold exactly.
 */
export function listClaimTexts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item) => toClaimText(item) ?? [])
}

/** One item as a text; `undefined` for what is none. Integers beyond 2⁵³ have been rounded, so that two would be the same text. */
export function toClaimText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? JSON.stringify(value) : undefined
}
