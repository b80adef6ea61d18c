import { type HelperContext, helperContexts } from '../../contract/context.ts'
import type { Headers } from '../../contract/headers.ts'
import { parseObject } from '../../runtime/parse-object.ts'
import { Secret } from '../../runtime/secret.ts'
import type { MintedToken } from '../define-helper.ts'

/** A token in the cache, with when, why and from what it was minted. Times are milliseconds since the epoch. */
export interface TokenEntry {
  readonly token: Secret
  /** By this machine's clock as it was when the token was minted. */
  readonly expiresAt: number
  /** The source's clock less this machine's; 0 where they agreed, or the source did not tell the time. */
  readonly clockOffsetMs: number
  readonly minted: number
  /** When the machine started, by its clock as it was then: an earlier start now means that the clock was set back. */
  readonly bootedAt: number | undefined
  readonly context: HelperContext
  readonly facts: Readonly<Record<string, string>>
  /** Those that the source gave with the token. */
  readonly headers?: Headers | undefined
  /** By which part of the longest time it is renewed early, at least 0 and less than 1; 0 where an older version wrote it. */
  readonly earlyFraction?: number | undefined
  /** What it was minted from, in words, one step a line. */
  readonly uses: readonly string[]
}

/** Raised whenever an older version would misread an entry. Part of the key, so that versions do not share entries. */
export const entryFormat = 1

/** The entry of a new token; `undefined` where its expiry is not known. */
export function toEntry(
  { token, expiresAt, clockOffsetMs = 0, facts, headers }: MintedToken,
  { now, ...rest }: Pick<TokenEntry, 'context' | 'bootedAt' | 'earlyFraction' | 'uses'> & { readonly now: number },
): TokenEntry | undefined {
  if (!expiresAt) return undefined
  const times = { expiresAt: expiresAt.getTime(), clockOffsetMs, minted: now }
  return { token, ...times, facts, headers, ...rest }
}

/** An entry as the text of its file. */
export function renderEntry({ token, ...rest }: TokenEntry): string {
  return JSON.stringify({ format: entryFormat, ...rest, token: token.reveal() })
}

/** Reads an entry's file; `undefined` for anything but an entry of this format. */
export function parseEntry(text: string): TokenEntry | undefined {
  const value = parseObject(text)
  if (value?.format !== entryFormat) return undefined
  const { token, expiresAt, clockOffsetMs, minted, bootedAt, context, facts, headers, earlyFraction, uses } = value
  const contexts: readonly unknown[] = [...helperContexts, 'terminal', 'unknown']
  if (typeof token !== 'string' || !isNumber(expiresAt) || !isNumber(clockOffsetMs) || !isNumber(minted))
    return undefined
  if (bootedAt !== undefined && !isNumber(bootedAt)) return undefined
  if (!contexts.includes(context) || !isTextRecord(facts) || !isTextList(uses)) return undefined
  if (headers !== undefined && !isTextRecord(headers)) return undefined
  if (earlyFraction !== undefined && !isFraction(earlyFraction)) return undefined
  return {
    token: new Secret(token),
    expiresAt,
    clockOffsetMs,
    minted,
    bootedAt,
    context: context as HelperContext, // one of the list, as checked
    facts,
    headers,
    earlyFraction,
    uses,
  }
}

/** Reads when an entry or record of any version expires, so that each version removes those of the others; `undefined` for anything else. */
export function parseExpiry(text: string): number | undefined {
  const expiry = parseObject(text)?.expiresAt
  return isNumber(expiry) ? expiry : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isFraction(value: unknown): value is number {
  return isNumber(value) && value >= 0 && value < 1
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((item) => typeof item === 'string')
}
