import { findMember } from '../values/json-value.ts'

/** The path of a claim: its name, and the names of members within it. */
export interface ClaimPath {
  /** The path as written by a person. */
  readonly text: string
  readonly names: readonly [string, ...string[]]
}

/** One part of a path: a name of letters, digits, `_` and `-`, or any other name in square brackets, with or without quotes. */
const part = /(?:^|\.)([\w-]+)|\[(["']?)([^\]]+?)\2\]/y

/**
 * Parses `email`, `realm_access.roles` or `[https://sts.amazonaws.com/].aws_account`, as policies and the header templates of helpers
 * write them: a name with other characters than letters, digits, `_` and `-` stands in square brackets. `undefined` for any other text.
 */
export function parseClaimPath(text: string): ClaimPath | undefined {
  const names: string[] = []
  let at = 0
  while (at < text.length) {
    part.lastIndex = at
    const [found, plain, , bracketed] = part.exec(text) ?? []
    if (found === undefined) return undefined
    names.push(plain ?? bracketed!)
    at += found.length
  }
  const [first, ...others] = names
  return first === undefined ? undefined : { text, names: [first, ...others] }
}

/** Finds the value of a claim; `undefined` if it is missing. Inherited members do not count. */
export function findClaim(
  claims: Readonly<Record<string, unknown>>,
  { names }: { readonly names: readonly string[] },
): unknown {
  return names.reduce<unknown>(findMember, claims)
}

/**
 * Lists the texts of a claim for matching patterns: a string, a number or a boolean as in JSON, or the items of a list. Empty if the claim
 * is missing, an object, or a number that JSON cannot hold exactly.
 */
export function listClaimTexts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item) => toClaimText(item) ?? [])
}

/**
 * Renders one item as a text; `undefined` for any other type. Integers beyond 2⁵³ have been rounded, so two of them could give the same
 * text.
 */
export function toClaimText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? JSON.stringify(value) : undefined
}
