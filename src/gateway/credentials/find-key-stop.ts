import type { Access } from './access.ts'
import { detectKeyState, type KeyKind, type KeyLife, type KeyState, keyKinds } from './key-states.ts'

/** What decides about a key besides its own record. */
interface KeyContext {
  /** Whom the key acts as; `none` for a key that acts as no one. */
  readonly owner: 'present' | 'gone' | 'none'
  /** The one workspace that the key is for; `unbound` where it is for several. */
  readonly workspace: Access | 'unbound'
}

interface Stop {
  /** Written to the gateway's own record. */
  readonly reason: string
  readonly kinds: readonly KeyKind[]
  readonly holds: (state: KeyState, context: KeyContext) => boolean
}

const identityBacked: readonly KeyKind[] = ['personal', 'service_account']

/** Column "Stops working when" of table "API keys", and the states other than `active`. */
const stops: readonly Stop[] = [
  { reason: 'the key is deleted', kinds: keyKinds, holds: (state) => state === 'archived' },
  { reason: 'the key is expired', kinds: keyKinds, holds: (state) => state === 'expired' },
  { reason: 'the key is disabled', kinds: keyKinds, holds: (state) => state === 'inactive' },
  { reason: 'the owner is gone', kinds: identityBacked, holds: (_, { owner }) => owner === 'gone' },
  { reason: 'the owner left the workspace', kinds: identityBacked, holds: (_, { workspace }) => workspace === 'left' },
  {
    reason: 'the workspace is archived',
    kinds: [...identityBacked, 'workspace'],
    holds: (_, { workspace }) => workspace === 'archived',
  },
]

/** Why a known key does not work; `undefined` when it does. */
export function findKeyStop(key: KeyLife, context: KeyContext, now: number): string | undefined {
  const state = detectKeyState(key, now)
  return stops.find(({ kinds, holds }) => kinds.includes(key.kind) && holds(state, context))?.reason
}
