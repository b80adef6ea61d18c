// The kinds and states of API keys, and the changes between states.

import { HelperError } from '../../runtime/failure.ts'
import { quoteName } from '../../runtime/text/quote.ts'
import { unitSec } from '../../runtime/values/duration.ts'
import { programName } from '../../version.ts'

/** The kinds of key (table "API keys"). */
export const keyKinds = ['personal', 'service_account', 'workspace', 'administrative'] as const
/** The kind of a key; it decides what the key may be used for. */
export type KeyKind = (typeof keyKinds)[number]

/** The statuses in a key's record. `expired` is missing, because it follows from `expires_at`. */
export const keyStatuses = ['active', 'inactive', 'archived'] as const
export type KeyStatus = (typeof keyStatuses)[number]

/** The state of a key. `expired` replaces `active` and `inactive`, to which an expired key cannot return. */
export type KeyState = KeyStatus | 'expired'

/** An event that changes the state of a key. */
export type KeyTrigger = 'disable' | 'enable' | 'delete' | 'owner-removed'

/** The parts of a key's record that decide its state. */
export interface KeyLife {
  readonly kind: KeyKind
  readonly status: KeyStatus
  /** Epoch milliseconds; `null` for a key without expiration. */
  readonly expiresAt: number | null
}

/**
 * The rows of table "States and transitions" that change a record. It is our decision that `owner-removed` also archives disabled and
 * expired keys: otherwise a disabled key could be enabled after its owner is invited again.
 */
const keyMoves: readonly KeyMove[] = [
  { trigger: 'disable', kinds: keyKinds, from: ['active'], to: 'inactive' },
  { trigger: 'enable', kinds: keyKinds, from: ['inactive'], to: 'active' },
  { trigger: 'delete', kinds: keyKinds, from: ['active', 'inactive', 'expired'], to: 'archived' },
  { trigger: 'owner-removed', kinds: ['personal'], from: ['active', 'inactive', 'expired'], to: 'archived' },
]

/** Detects the state of a key at `now`, in epoch milliseconds. */
export function detectKeyState({ status, expiresAt }: Omit<KeyLife, 'kind'>, now: number): KeyState {
  if (status === 'archived') return status
  return expiresAt !== null && expiresAt <= now ? 'expired' : status
}

interface KeyMove {
  readonly trigger: KeyTrigger
  readonly kinds: readonly KeyKind[]
  readonly from: readonly KeyState[]
  readonly to: KeyStatus
}

/** Finds the status after `trigger`; `undefined` if the table has no such row. */
export function findNextStatus(key: KeyLife, trigger: KeyTrigger, now: number): KeyStatus | undefined {
  const state = detectKeyState(key, now)
  return keyMoves.find((move) => move.trigger === trigger && move.kinds.includes(key.kind) && move.from.includes(state))
    ?.to
}

/** The expirations that the console offers, in seconds. */
export const expirationPresets = {
  '3h': 3 * unitSec.h,
  '1d': unitSec.d,
  '7d': 7 * unitSec.d,
  '30d': 30 * unitSec.d,
} as const

/** A key's life in seconds, or `never` for a key that does not expire. */
export type Expiration = number | 'never'

/** Parses a preset, another duration (`90m`, `36h`, `45d`) or `never`. @throws {HelperError} `usage` */
export function parseExpiration(text: string): Expiration {
  if (text === 'never') return text
  const [, count, unit] = /^([1-9]\d{0,4})(m|h|d)$/.exec(text) ?? []
  if (count === undefined)
    throw new HelperError(
      'usage',
      `${quoteName(text)} is not an expiration`,
      `write ${Object.keys(expirationPresets).join(', ')}, never, or a duration such as 90m, 36h or 45d`,
    )
  return Number(count) * unitSec[unit as keyof typeof unitSec] // the pattern permits only these units
}

/**
 * Computes when a key that is created now expires, in epoch milliseconds; `null` for `never`.
 * @throws {HelperError} `refused` for a longer life than the organization permits for new keys.
 */
export function computeExpiry(expiration: Expiration, now: number, maximumSec: number | undefined): number | null {
  if (maximumSec !== undefined && (expiration === 'never' || expiration > maximumSec))
    throw new HelperError(
      'refused',
      `the organization allows keys of at most ${maximumSec} s`,
      `choose a shorter expiration, or raise the maximum; see: ${programName} gateway keys maximum --help`,
    )
  return expiration === 'never' ? null : now + expiration * 1000
}
