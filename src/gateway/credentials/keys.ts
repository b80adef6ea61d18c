import { HelperError } from '../../runtime/failure.ts'
import { digestOf } from '../store/secrets.ts'
import { findSetting, type State, writeSetting } from '../store/state.ts'
import type { Expiration } from './key-expiration.ts'
import { detectKeyState, findNextStatus, type KeyLife, type KeyStatus, type KeyTrigger } from './key-states.ts'

/** A key as the console sees it; the secret is nowhere. */
export interface ApiKey extends KeyLife {
  readonly seq: number
  readonly id: string
  readonly name: string
  /** Beginning and end of the secret, for recognition. */
  readonly hint: string
  readonly ownerId: string | null
  /** The one workspace that the key is for; `null` for a key that is not scoped. */
  readonly workspaceId: string | null
  readonly createdAt: number
}

/**
 * Disables, enables or deletes a key.
 * @throws {HelperError} `refused` where the table of states has no such move.
 */
export function changeKey(state: State, id: string, trigger: Exclude<KeyTrigger, 'owner-removed'>): ApiKey {
  return state.transact(() => {
    const key = resolveKey(state, id)
    const status = findNextStatus(key, trigger, state.now())
    if (status === undefined) {
      const now = detectKeyState(key, state.now())
      throw new HelperError('refused', `the key is ${now}: there is no ${trigger} for it`, wayOut[now])
    }
    writeKeyStatus(state, id, status)
    return resolveKey(state, id)
  })
}

const wayOut = {
  active: 'it works as it is',
  inactive: 'enable it, or delete it',
  expired: 'delete it and make another: gatepass gateway keys create',
  archived: 'make another: gatepass gateway keys create',
} as const

export function writeKeyStatus({ sql }: State, id: string, status: KeyStatus): void {
  sql.run`UPDATE api_keys SET status = ${status} WHERE id = ${id}`
}

export function findKey({ sql }: State, id: string): ApiKey | undefined {
  const row = sql.get`SELECT * FROM api_keys WHERE id = ${id}`
  return row && toKey(row)
}

export function findKeyBySecret({ sql }: State, secret: string): ApiKey | undefined {
  const row = sql.get`SELECT * FROM api_keys WHERE digest = ${digestOf(secret)}`
  return row && toKey(row)
}

/** All that there ever were, archived ones included, in the order in which they were made; those after `after`. */
export function listKeys({ sql }: State, after = 0, limit = -1): ApiKey[] {
  return sql.all`SELECT * FROM api_keys WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`.map(toKey)
}

/** The longest life of new keys in seconds, if the organization limits it. */
export function findMaximumLife(state: State): number | undefined {
  const setting = findSetting(state, 'maximum-life-sec')
  return setting === undefined ? undefined : Number(setting)
}

/** Limits the life of keys that are made from now on. */
export function writeMaximumLife(state: State, maximum: Expiration): void {
  writeSetting(state, 'maximum-life-sec', maximum === 'never' ? undefined : String(maximum))
}

/** @throws {HelperError} `usage` where there is none, for the console. */
export function resolveKey(state: State, id: string): ApiKey {
  const key = findKey(state, id)
  if (key) return key
  throw new HelperError('usage', `there is no key ${JSON.stringify(id)}`, 'see: gatepass gateway keys list')
}

function toKey(row: NonNullable<ReturnType<State['sql']['get']>>): ApiKey {
  const { digest: _, owner_id, workspace_id, created_at, expires_at, ...rest } = row
  // Columns hold what the schema lets in.
  return {
    ...rest,
    ownerId: owner_id,
    workspaceId: workspace_id,
    createdAt: created_at,
    expiresAt: expires_at,
  } as unknown as ApiKey
}
