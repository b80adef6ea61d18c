// The kinds and states of API keys.

/** The kinds of key. Table "API keys". */
export const keyKinds = ['personal', 'service_account', 'workspace', 'administrative'] as const
/** One kind of key. */
export type KeyKind = (typeof keyKinds)[number]

/** The states that a key's record holds. `expired` is not one of them, because it follows from `expires_at`. */
export const keyStatuses = ['active', 'inactive', 'archived'] as const
/** One of them. */
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
 * The rows of table "States and transitions" that change a record. That `owner-removed` also archives a disabled and an expired
 * key is our decision: otherwise a disabled key could be enabled after its owner is invited again.
 */
const keyMoves: readonly KeyMove[] = [
  { trigger: 'disable', kinds: keyKinds, from: ['active'], to: 'inactive' },
  { trigger: 'enable', kinds: keyKinds, from: ['inactive'], to: 'active' },
  { trigger: 'delete', kinds: keyKinds, from: ['active', 'inactive', 'expired'], to: 'archived' },
  { trigger: 'owner-removed', kinds: ['personal'], from: ['active', 'inactive', 'expired'], to: 'archived' },
]

/** The state of a key at `now`, in epoch milliseconds. */
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

/** The status after `trigger`; `undefined` where the table has no such row. */
export function findNextStatus(key: KeyLife, trigger: KeyTrigger, now: number): KeyStatus | undefined {
  const state = detectKeyState(key, now)
  return keyMoves.find((move) => move.trigger === trigger && move.kinds.includes(key.kind) && move.from.includes(state))
    ?.to
}
