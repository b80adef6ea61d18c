import { type HelperContext, helperContexts } from '../../contract/context.ts'
import { Secret } from '../../runtime/secret.ts'
import type { MintedToken } from '../define-helper.ts'

/** A token in the cache: with when, why and from what it was minted. Times are milliseconds since the epoch. */
export interface TokenEntry {
  readonly token: Secret
  /** By the clock of this machine as it stood when the token was minted. */
  readonly expiresAt: number
  /** What the source's clock was ahead of this machine's; 0 where the two agreed, or the source did not tell. */
  readonly clockOffsetMs: number
  readonly minted: number
  /** When the machine had started, by its clock as it stood then: earlier now means that the clock was set back. */
  readonly bootedAt: number | undefined
  readonly context: HelperContext
  readonly facts: Readonly<Record<string, string>>
  /** What it was made from, in words, one step a line. */
  readonly uses: readonly string[]
}

/** Raised whenever an older reader would misunderstand an entry; part of the key, so that versions never meet. */
export const entryFormat = 1

/** A token that was minted within this before a run began is as good as new, whatever its life. Our decision. */
const moment = 10_000

/** How much longer than the client's ttl a cached token must live. Our decision. */
export const marginMs = 60_000

/** A step back of the clock that is within the margin does no harm. */
const toleratedStepMs = marginMs

/** By what an entry is judged. */
export interface FreshnessCriteria {
  readonly context: HelperContext
  readonly now: number
  /** When this process started: the moment at which the client asked. */
  readonly startedAt: number
  readonly bootedAt: number | undefined
  readonly clientTtlSec: number
  /** Entries from before this do not count. */
  readonly notBefore: number | undefined
}

/**
 * Whether a cached token may be served instead of a new one. In `mid-session-refresh` the client's token was refused,
 * and the one in the cache may be that very token: only what was minted for the same refresh counts there.
 */
export function isFresh(entry: TokenEntry, circumstances: FreshnessCriteria): boolean {
  const { context, now, startedAt, clientTtlSec } = circumstances
  if (!isCredible(entry, circumstances)) return false
  if (entry.minted > startedAt) return entry.expiresAt > now
  const isNew = startedAt - entry.minted <= moment && entry.expiresAt > now
  if (context === 'mid-session-refresh') return isNew && entry.context === context
  return isNew || computeEarliestExpiry(entry) >= now + clientTtlSec * 1000 + marginMs
}

/** Whether a token still works and counts, so that it can stand in for one that cannot be had. */
export function isAlive(entry: TokenEntry, circumstances: FreshnessCriteria): boolean {
  return isCredible(entry, circumstances) && computeEarliestExpiry(entry) > circumstances.now
}

/**
 * When a token has ended whichever clock is right. A clock that was ahead of the source's may have been corrected since:
 * then the end by the source's clock is the one that counts. Whatever is minted in this moment needs no such care.
 */
export function computeEarliestExpiry({ expiresAt, clockOffsetMs }: TokenEntry): number {
  return expiresAt + Math.min(0, clockOffsetMs)
}

/** Whether the times of an entry say anything: not if it is from the future, or from before the clock was set back. */
function isCredible(entry: TokenEntry, { now, startedAt, bootedAt, notBefore }: FreshnessCriteria): boolean {
  if (entry.minted > now) return false
  // What was minted while this run waited is new, even where the date lies in the future.
  if (notBefore !== undefined && entry.minted < notBefore && entry.minted <= startedAt) return false
  return bootedAt === undefined || entry.bootedAt === undefined || bootedAt >= entry.bootedAt - toleratedStepMs
}

/** The entry for a new token; `undefined` where nothing is known of its end. */
export function toEntry(
  { token, expiresAt, clockOffsetMs = 0, facts }: MintedToken,
  { context, now, bootedAt, uses }: Pick<FreshnessCriteria, 'context' | 'now' | 'bootedAt'> & Pick<TokenEntry, 'uses'>,
): TokenEntry | undefined {
  return (
    expiresAt && { token, expiresAt: expiresAt.getTime(), clockOffsetMs, minted: now, bootedAt, context, facts, uses }
  )
}

/** An entry as the text of its file. */
export function renderEntry({ token, ...rest }: TokenEntry): string {
  return JSON.stringify({ format: entryFormat, ...rest, token: token.reveal() })
}

/** Reads an entry's file; `undefined` for anything but an entry of this format. */
export function parseEntry(text: string): TokenEntry | undefined {
  const value = parseJson(text)
  if (value?.format !== entryFormat) return undefined
  const { token, expiresAt, clockOffsetMs, minted, bootedAt, context, facts, uses } = value
  const contexts: readonly unknown[] = [...helperContexts, 'terminal', 'unknown']
  if (typeof token !== 'string' || !isNumber(expiresAt) || !isNumber(clockOffsetMs) || !isNumber(minted))
    return undefined
  if (bootedAt !== undefined && !isNumber(bootedAt)) return undefined
  if (!contexts.includes(context) || !isTextRecord(facts) || !isTextList(uses)) return undefined
  return {
    token: new Secret(token),
    expiresAt,
    clockOffsetMs,
    minted,
    bootedAt,
    context: context as HelperContext, // one of the list above
    facts,
    uses,
  }
}

/** When an entry of any format ends, so that those of other versions are swept too; `undefined` for anything else. */
export function parseEnd(text: string): number | undefined {
  const end = parseJson(text)?.expiresAt
  return isNumber(end) ? end : undefined
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined // a foreign or torn file; the parser's message would repeat a secret
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((item) => typeof item === 'string')
}
