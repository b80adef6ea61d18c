import { HelperError } from '../../runtime/failure.ts'
import { quoteName } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { digestSecret } from '../store/identifiers.ts'
import { findSetting, renderStateCommand, type State, writeSetting } from '../store/state.ts'
import type { RecordRange } from '../store/workspaces.ts'
import {
  detectKeyState,
  type Expiration,
  findNextStatus,
  type KeyLife,
  type KeyStatus,
  type KeyTrigger,
} from './key-life.ts'

/** A key as the console shows it, without the secret. */
export interface ApiKey extends KeyLife {
  readonly seq: number
  readonly id: string
  readonly name: string
  /** The beginning and the end of the secret, so that a person can recognize it. */
  readonly hint: string
  readonly ownerId: string | null
  /** The workspace that the key is restricted to; `null` for an unscoped key. */
  readonly workspaceId: string | null
  readonly createdAt: number
}

/**
 * Disables, enables or deletes a key.
 * @throws {HelperError} `refused` if table "States and transitions" has no such row.
 */
export function changeKey(state: State, id: string, trigger: Exclude<KeyTrigger, 'owner-removed'>): ApiKey {
  return state.transact(() => {
    const key = requireKey(state, id)
    const status = findNextStatus(key, trigger, state.now())
    if (status === undefined) {
      const found = detectKeyState(key, state.now())
      throw new HelperError('refused', `the key is ${found}: ${trigger} is not possible`, hints[found])
    }
    writeKeyStatus(state, id, status)
    return requireKey(state, id)
  })
}

const hints = {
  active: 'leave it: it works',
  inactive: 'enable it, or delete it',
  expired: `delete it and create another; see: ${programName} gateway keys create --help`,
  archived: `create another; see: ${programName} gateway keys create --help`,
} as const

export function writeKeyStatus({ sql }: State, id: string, status: KeyStatus): void {
  sql.run`UPDATE api_keys SET status = ${status} WHERE id = ${id}`
}

/** Finds the key with this ID, in any state; `undefined` if there never was one. */
export function findKey({ sql }: State, id: string): ApiKey | undefined {
  const row = sql.get`SELECT * FROM api_keys WHERE id = ${id}`
  return row && toKey(row)
}

/** Finds the key with this secret, in any state. */
export function findKeyBySecret({ sql }: State, secret: string): ApiKey | undefined {
  const row = sql.get`SELECT * FROM api_keys WHERE digest = ${digestSecret(secret)}`
  return row && toKey(row)
}

/** The conditions that a listed key meets. A member that is absent excludes no key. */
export interface KeyFilter {
  readonly status?: KeyStatus | undefined
  /** The workspace that the key is restricted to. */
  readonly workspaceId?: string | undefined
}

/** Lists keys, archived ones included, in the order of creation. */
export function listKeys({ sql }: State, filter: KeyFilter = {}, range: RecordRange = {}): ApiKey[] {
  const { status = null, workspaceId = null } = filter
  const { after = 0, before, limit = -1 } = range
  const rows =
    before === undefined
      ? sql.all`SELECT * FROM api_keys WHERE seq > ${after} AND status = ifnull(${status}, status)
        AND workspace_id IS ifnull(${workspaceId}, workspace_id) ORDER BY seq LIMIT ${limit}`
      : sql.all`SELECT * FROM api_keys WHERE seq < ${before} AND status = ifnull(${status}, status)
        AND workspace_id IS ifnull(${workspaceId}, workspace_id) ORDER BY seq DESC LIMIT ${limit}`.toReversed()
  return rows.map(toKey)
}

/** Finds the longest life of new keys, in seconds; `undefined` if the organization sets no limit. */
export function findMaximumLife(state: State): number | undefined {
  const setting = findSetting(state, 'maximum-life-sec')
  return setting === undefined ? undefined : Number(setting)
}

/** Limits the life of future keys. */
export function writeMaximumLife(state: State, maximum: Expiration): void {
  writeSetting(state, 'maximum-life-sec', maximum === 'never' ? undefined : String(maximum))
}

/** Returns the key with this ID. @throws {HelperError} `usage` if it does not exist. */
export function requireKey(state: State, id: string): ApiKey {
  const key = findKey(state, id)
  if (key) return key
  throw new HelperError('usage', `there is no key ${quoteName(id)}`, `see: ${renderStateCommand(state, 'keys list')}`)
}

function toKey(row: NonNullable<ReturnType<State['sql']['get']>>): ApiKey {
  const { digest: _, owner_id, workspace_id, created_at, expires_at, ...fields } = row
  // The schema permits only these values.
  return {
    ...fields,
    ownerId: owner_id,
    workspaceId: workspace_id,
    createdAt: created_at,
    expiresAt: expires_at,
  } as unknown as ApiKey
}
