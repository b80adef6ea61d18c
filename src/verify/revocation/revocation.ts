// Folder: revocations: the entries that refuse tokens, their sources, and the events of providers that become entries.

import * as z from 'zod'
import { notAnObject, parseJson } from '../../runtime/values/json-value.ts'

/** The ways to recognize a token: a claim of it, or the key that signed it. */
export const revokedKinds = ['subject', 'email', 'session', 'token', 'key'] as const

/** The name of the member by which an entry recognizes tokens. */
export type RevokedKind = (typeof revokedKinds)[number]

/** An entry of the list: which tokens it refuses, and until when. */
export interface Revocation {
  readonly kind: RevokedKind
  /** The claim `sub`, `email`, `sid` or `jti`; for a key its `kid`, or its thumbprint (RFC 7638, SHA-256). */
  readonly value: string
  /** The entry refuses only tokens of this issuer; of any issuer if absent. */
  readonly issuer: string | undefined
  /** Epoch milliseconds: the entry refuses only tokens issued by then, and tokens without `iat`; infinite for every token. */
  readonly before: number
  /** Epoch milliseconds from which such tokens pass again; infinite if never. */
  readonly until: number
}

/** The longest text of an entry. Our decision. */
export const longestEntryText = 1_000
const text = z.string().min(1).max(longestEntryText)
const time = z.iso.datetime({ offset: true, message: 'expected a time such as 2026-11-28T09:00:00Z' })

/** The form of an entry in a file and in Redis. */
const revocationShape = z
  .strictObject({
    ...(Object.fromEntries(revokedKinds.map((kind) => [kind, text.optional()])) as Record<
      RevokedKind,
      z.ZodOptional<z.ZodString>
    >),
    issuer: text.optional(),
    before: time.optional(),
    until: time.optional(),
    note: z.string().max(longestEntryText).optional(),
  })
  .check(({ value, issues }) => {
    const named = revokedKinds.filter((kind) => value[kind] !== undefined)
    const message = `expected exactly one of ${revokedKinds.join(', ')}`
    if (named.length !== 1) issues.push({ code: 'custom', input: value, message })
  })

/** Parses one entry, or describes what is wrong with it, without its values. */
export function parseRevocation(line: string): Revocation | { readonly problem: string } {
  const value = parseJson(line)
  if (value === undefined) return { problem: notAnObject }
  const { data, error } = revocationShape.safeParse(value)
  if (!data) {
    const [issue] = error.issues
    return { problem: [...(issue?.path ?? []).map(String), issue?.message ?? 'it cannot be used'].join(': ') }
  }
  const kind = revokedKinds.find((each) => data[each] !== undefined)!
  return {
    kind,
    value: data[kind]!, // the shape requires exactly one
    issuer: data.issuer,
    before: data.before === undefined ? Infinity : Date.parse(data.before),
    until: data.until === undefined ? Infinity : Date.parse(data.until),
  }
}

/** Renders one entry as one line without its end; what {@link parseRevocation} parses. */
export function renderRevocation({ kind, value, issuer, before, until }: Revocation, note?: string): string {
  const toText = (at: number) => (at === Infinity ? undefined : new Date(at).toISOString())
  return JSON.stringify({ [kind]: value, issuer, before: toText(before), until: toText(until), note })
}

/** Returns the same text for entries about the same tokens, of which the latest replaces the others. */
export function toRevocationId({ kind, issuer = '', value }: Pick<Revocation, 'kind' | 'issuer' | 'value'>): string {
  return `${kind}\n${issuer}\n${value}`
}
