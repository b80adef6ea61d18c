export const keyKinds = ['personal', 'service_account', 'workspace', 'administrative'] as const
export type KeyKind = (typeof keyKinds)[number]

/** What a key's record says. Being expired follows from `expires_at` and is not written down. */
export type KeyStatus = 'active' | 'inactive' | 'archived'

/** `expired` wins over `active` and `inactive`: neither comes back. */
export type KeyState = KeyStatus | 'expired'

export type KeyTrigger = 'disable' | 'enable' | 'delete' | 'owner-removed'

export interface KeyLife {
  readonly kind: KeyKind
  readonly status: KeyStatus
  /** Epoch milliseconds; `null` for a key without expiration. */
  readonly expiresAt: number | null
}

interface KeyMove {
  readonly trigger: KeyTrigger
  readonly kinds: readonly KeyKind[]
  readonly from: readonly KeyState[]
  readonly to: KeyStatus
}

/**
 * The rows of "States and transitions" that change a record. That the owner's leaving also archives a disabled and an
 * expired key is ours: otherwise a disabled one would live again after a re-invitation.
 */
export const keyMoves: readonly KeyMove[] = [
  { trigger: 'disable', kinds: keyKinds, from: ['active'], to: 'inactive' },
  { trigger: 'enable', kinds: keyKinds, from: ['inactive'], to: 'active' },
  { trigger: 'delete', kinds: keyKinds, from: ['active', 'inactive', 'expired'], to: 'archived' },
  { trigger: 'owner-removed', kinds: ['personal'], from: ['active', 'inactive', 'expired'], to: 'archived' },
]

export function detectKeyState({ status, expiresAt }: Omit<KeyLife, 'kind'>, now: number): KeyState {
  if (status === 'archived') return status
  return expiresAt !== null && expiresAt <= now ? 'expired' : status
}

/** The status after `trigger`, or `undefined` where the table has no such move. */
export function findNextStatus(key: KeyLife, trigger: KeyTrigger, now: number): KeyStatus | undefined {
  const state = detectKeyState(key, now)
  return keyMoves.find((move) => move.trigger === trigger && move.kinds.includes(key.kind) && move.from.includes(state))
    ?.to
}
