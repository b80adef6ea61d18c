import type { HelperScriptCredential } from '../../config/document.ts'
import { clientDefaults, perTurnCheckAboveTtlSec } from '../../contract/limits.ts'

/**
 * The context of every run during a session. The specification defines it for a rejected credential. We also use it after the ttl, and for
 * a source that a new document names: in both cases a turn waits, and no person may be asked.
 */
export const refreshContext = 'mid-session-refresh'

/** The settings that determine when a client runs its helper again. */
export interface CredentialTiming {
  readonly ttlMs: number
  readonly lookAheadMs: number
  /** `prompt`: the client tells the person to start another session. */
  readonly onExpiry: 'refresh' | 'prompt'
}

/** The age of a credential in a client, and whether the gateway has refused it. */
export interface CredentialAge {
  /** The end of the run that printed it, in milliseconds. */
  readonly since: number
  /** A credential that got a 401 is not used in a new session; otherwise the prompt for a new session would not help. Our decision. */
  readonly isRefused: boolean
}

/** Returns the timing in a document, with the client's defaults. */
export function toCredentialTiming(
  { ttlSec, silentRefreshEnabled }: Pick<HelperScriptCredential, 'ttlSec' | 'silentRefreshEnabled'>,
  lookAheadSec: number,
): CredentialTiming {
  return {
    ttlMs: (ttlSec ?? clientDefaults.ttlSec) * 1000,
    lookAheadMs: lookAheadSec * 1000,
    onExpiry: (silentRefreshEnabled ?? clientDefaults.silentRefreshEnabled) ? 'refresh' : 'prompt',
  }
}

/** Returns whether a new session uses the client's present credential, without a run of the helper. */
export function isReusedAtStart(
  { since, isRefused }: CredentialAge,
  now: number,
  { ttlMs }: CredentialTiming,
): boolean {
  return !isRefused && now - since < ttlMs
}

/**
 * Computes when the helper runs again before a turn; infinite for a client that keeps the credential until the next session, with a short
 * ttl or without silent refresh.
 */
export function computeDueAt(
  { since }: Pick<CredentialAge, 'since'>,
  { ttlMs, lookAheadMs, onExpiry }: CredentialTiming,
): number {
  const isChecked = ttlMs > perTurnCheckAboveTtlSec * 1000 && onExpiry === 'refresh'
  return isChecked ? since + ttlMs - lookAheadMs : Number.POSITIVE_INFINITY
}
