import { HelperError } from '../../runtime/failure.ts'
import type { State } from '../store/state.ts'
import { findWorkspace, resolveWorkspace } from '../store/workspaces.ts'
import { findNextStatus } from './key-states.ts'
import { listKeys, writeKeyStatus } from './keys.ts'

/** Whom a key or token acts as. */
export interface Identity {
  readonly id: string
  readonly kind: 'user' | 'service_account'
  readonly name: string
  readonly standing: 'present' | 'gone'
}

export function createIdentity(state: State, kind: Identity['kind'], name: string): Identity {
  const id = state.newId(kind === 'user' ? 'user' : 'serviceAccount')
  state.sql.run`INSERT INTO identities VALUES (${id}, ${kind}, ${name}, 'present')`
  return resolveIdentity(state, id)
}

/** @throws {HelperError} `usage` where there is none, for the console. */
export function resolveIdentity({ sql }: State, id: string): Identity {
  const row = sql.get`SELECT * FROM identities WHERE id = ${id}`
  // Its columns hold what the schema lets in.
  if (row) return { ...row } as unknown as Identity
  throw new HelperError(
    'usage',
    `there is no user or service account ${JSON.stringify(id)}`,
    'see: gatepass gateway identities list',
  )
}

export function listIdentities({ sql }: State): Identity[] {
  return sql.all`SELECT * FROM identities ORDER BY id` as unknown as Identity[] // as above
}

/** A user leaves the organization, or a service account is archived. A user's personal keys are archived with it. */
export function removeIdentity(state: State, id: string): Identity {
  return state.transact(() => {
    resolveIdentity(state, id)
    state.sql.run`UPDATE identities SET standing = 'gone' WHERE id = ${id}`
    for (const key of listKeys(state)) {
      const status = key.ownerId === id ? findNextStatus(key, 'owner-removed', state.now()) : undefined
      if (status !== undefined) writeKeyStatus(state, key.id, status)
    }
    return resolveIdentity(state, id)
  })
}

/** A user is invited again: without the keys of before. An archived service account stays archived. */
export function restoreIdentity(state: State, id: string): Identity {
  if (resolveIdentity(state, id).kind !== 'user')
    throw new HelperError(
      'refused',
      'an archived service account does not come back',
      'make another: gatepass gateway identities create',
    )
  state.sql.run`UPDATE identities SET standing = 'present' WHERE id = ${id}`
  return resolveIdentity(state, id)
}

export function addMember(state: State, identityId: string, workspaceId: string): void {
  resolveIdentity(state, identityId)
  resolveWorkspace(state, workspaceId)
  state.sql.run`INSERT INTO members VALUES (${identityId}, ${workspaceId}) ON CONFLICT DO NOTHING`
}

export function removeMember(state: State, identityId: string, workspaceId: string): void {
  if (resolveIdentity(state, identityId).kind === 'service_account' && resolveWorkspace(state, workspaceId).isDefault)
    throw new HelperError(
      'refused',
      'a service account always has the Default Workspace',
      'archive the service account instead',
    )
  state.sql.run`DELETE FROM members WHERE identity_id = ${identityId} AND workspace_id = ${workspaceId}`
}

/**
 * What became of a workspace for an identity, or with `null` for whoever belongs to the workspace itself. Every service
 * account has the Default Workspace.
 */
export function detectAccess(
  state: State,
  identityId: string | null,
  workspaceId: string,
): 'reachable' | 'left' | 'archived' {
  const workspace = findWorkspace(state, workspaceId)
  if (!workspace || workspace.archivedAt !== null) return 'archived'
  if (identityId === null) return 'reachable'
  const { kind } = resolveIdentity(state, identityId)
  if (kind === 'service_account' && workspace.isDefault) return 'reachable'
  const member = state.sql
    .get`SELECT 1 FROM members WHERE identity_id = ${identityId} AND workspace_id = ${workspaceId}`
  return member ? 'reachable' : 'left'
}
