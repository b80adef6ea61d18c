import { type HelperContext, helperContexts } from '../contract/context.ts'
import { Secret } from '../runtime/secret.ts'
import type { Minted } from './define-helper.ts'

/** A token in the cache: with when and why it was minted. Times are milliseconds since the epoch. */
export interface TokenEntry {
  readonly token: Secret
  readonly expiresAt: number
  readonly minted: number
  readonly context: HelperContext
  readonly facts: Readonly<Record<string, string>>
}

/** Raised whenever an older reader would misunderstand an entry; part of the key, so that versions never meet. */
export const entryFormat = 1

/** A token that was just minted within this is as good as new, whatever its life. Our decision. */
const moment = 10_000

/** How much longer than the client's ttl a cached token must live. Our decision. */
export const marginMs = 60_000

export interface Circumstances {
  readonly context: HelperContext
  readonly now: number
  /** When this process started. */
  readonly startedAt: number
  readonly clientTtlSec: number
}

/**
 * Whether a cached token may be served instead of a new one. In `mid-session-refresh` the client's token was refused,
 * and the one in the cache may be that very token: only what was minted for the same refresh counts there.
 */
export function isFresh(entry: TokenEntry, { context, now, startedAt, clientTtlSec }: Circumstances): boolean {
  if (!isAlive(entry, now)) return false
  if (entry.minted > startedAt) return true
  const isNew = now - entry.minted <= moment
  if (context === 'mid-session-refresh') return isNew && entry.context === context
  return isNew || entry.expiresAt >= now + clientTtlSec * 1000 + marginMs
}

/** Whether a token still works. One from the future was minted under another clock and says nothing. */
export function isAlive(entry: TokenEntry, now: number): boolean {
  return entry.minted <= now && entry.expiresAt > now
}

/** The entry for a new token; `undefined` where nothing is known of its end. */
export function entryOf(minted: Minted, context: HelperContext, now: number): TokenEntry | undefined {
  const { token, expiresAt, facts } = minted
  return expiresAt && { token, expiresAt: expiresAt.getTime(), minted: now, context, facts }
}

/** An entry as the text of its file. */
export function renderEntry({ token, ...rest }: TokenEntry): string {
  return JSON.stringify({ format: entryFormat, ...rest, token: token.reveal() })
}

/** Reads an entry's file. Anything but an entry of this format is `undefined`: it costs a mint and nothing else. */
export function parseEntry(text: string): TokenEntry | undefined {
  const value = parseJson(text)
  if (value?.format !== entryFormat) return undefined
  const { token, expiresAt, minted, context, facts } = value
  const contexts: readonly unknown[] = [...helperContexts, 'terminal', 'unknown']
  if (typeof token !== 'string' || typeof expiresAt !== 'number' || typeof minted !== 'number') return undefined
  if (!contexts.includes(context) || !isTextRecord(facts)) return undefined
  return { token: new Secret(token), expiresAt, minted, context: context as HelperContext, facts }
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined // a foreign or torn file; the parser's message would repeat a secret
  }
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((item) => typeof item === 'string')
}
