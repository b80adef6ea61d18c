import { HelperError } from '../../runtime/failure.ts'
import { quoteName } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { renderStateCommand, type State } from '../store/state.ts'
import { findWorkspace, requireWorkspace } from '../store/workspaces.ts'
import { listKeys, writeKeyStatus } from './api-keys.ts'
import { findNextStatus } from './key-life.ts'

/** The identity that a key or token acts as. */
export interface PlatformIdentity {
  readonly id: string
  readonly kind: 'user' | 'service_account'
  readonly name: string
  readonly standing: 'present' | 'gone'
}

export function createIdentity(state: State, kind: PlatformIdentity['kind'], name: string): PlatformIdentity {
  const id = state.createId(kind === 'user' ? 'user' : 'serviceAccount')
  state.sql.run`INSERT INTO identities VALUES (${id}, ${kind}, ${name}, 'present')`
  return requireIdentity(state, id)
}

/** Returns the identity with this ID. @throws {HelperError} `usage` if it does not exist. */
export function requireIdentity(state: State, id: string): PlatformIdentity {
  const row = state.sql.get`SELECT * FROM identities WHERE id = ${id}`
  if (row) return { ...row } as unknown as PlatformIdentity // the schema permits only these values
  throw new HelperError(
    'usage',
    `there is no user or service account ${quoteName(id)}`,
    `see: ${renderStateCommand(state, 'identities list')}`,
  )
}

/** Lists the identities of every kind, oldest first. */
export function listIdentities({ sql }: State): PlatformIdentity[] {
  return sql.all`SELECT * FROM identities ORDER BY id` as unknown as PlatformIdentity[] // the schema permits only these values
}

/** Removes a user from the organization, or archives a service account. A user's personal keys are archived too. */
export function removeIdentity(state: State, id: string): PlatformIdentity {
  return state.transact(() => {
    requireIdentity(state, id)
    state.sql.run`UPDATE identities SET standing = 'gone' WHERE id = ${id}`
    for (const key of listKeys(state)) {
      const status = key.ownerId === id ? findNextStatus(key, 'owner-removed', state.now()) : undefined
      if (status !== undefined) writeKeyStatus(state, key.id, status)
    }
    return requireIdentity(state, id)
  })
}

/**
 * Invites a user again; the earlier keys stay archived.
 * @throws {HelperError} `refused` for a service account, which stays archived.
 */
export function restoreIdentity(state: State, id: string): PlatformIdentity {
  if (requireIdentity(state, id).kind !== 'user')
    throw new HelperError(
      'refused',
      `${id} is a service account, and only a user can be restored`,
      `create another; see: ${programName} gateway identities create --help`,
    )
  state.sql.run`UPDATE identities SET standing = 'present' WHERE id = ${id}`
  return requireIdentity(state, id)
}

export function addMember(state: State, identityId: string, workspaceId: string): void {
  requireIdentity(state, identityId)
  requireWorkspace(state, workspaceId)
  state.sql.run`INSERT INTO members VALUES (${identityId}, ${workspaceId}) ON CONFLICT DO NOTHING`
}

/**
 * Removes an identity's access to a workspace.
 * @throws {HelperError} `refused` if the access is permanent.
 */
export function removeMember(state: State, identityId: string, workspaceId: string): void {
  if (requireIdentity(state, identityId).kind === 'service_account' && requireWorkspace(state, workspaceId).isDefault)
    throw new HelperError(
      'refused',
      'a service account always has the Default Workspace',
      'archive the service account instead',
    )
  state.sql.run`DELETE FROM members WHERE identity_id = ${identityId} AND workspace_id = ${workspaceId}`
}

/** Whether a workspace can be used, or why not. */
export type WorkspaceAccess = 'reachable' | 'left' | 'archived' | 'unknown'

/**
 * Returns whether an identity can use a workspace, or with `null` whether a key of the workspace itself can. Every service account has
 * access to the Default Workspace.
 */
export function detectAccess(state: State, identityId: string | null, workspaceId: string): WorkspaceAccess {
  const workspace = findWorkspace(state, workspaceId)
  if (!workspace) return 'unknown'
  if (workspace.archivedAt !== null) return 'archived'
  if (identityId === null) return 'reachable'
  const { kind } = requireIdentity(state, identityId)
  if (kind === 'service_account' && workspace.isDefault) return 'reachable'
  const member = state.sql
    .get`SELECT 1 FROM members WHERE identity_id = ${identityId} AND workspace_id = ${workspaceId}`
  return member ? 'reachable' : 'left'
}

/**
 * Requires that a credential for this identity, or with `null` a credential without an identity, would work in a workspace.
 * @throws {HelperError} `usage` for an unknown workspace or one without access, `refused` for an archived one.
 */
export function refuseUnreachable(state: State, identityId: string | null, workspaceId: string): void {
  const { name } = requireWorkspace(state, workspaceId)
  const access = detectAccess(state, identityId, workspaceId)
  if (access === 'archived')
    throw new HelperError(
      'refused',
      `the workspace ${quoteName(name)} is archived`,
      `name another: ${renderStateCommand(state, 'workspaces list')}`,
    )
  if (access === 'left')
    throw new HelperError(
      'usage',
      `the user or service account has no access to the workspace ${quoteName(name)}`,
      `give it access: ${renderStateCommand(state, `workspaces add ${workspaceId} ${identityId}`)}`,
    )
}
