import { HelperError } from '../../runtime/failure.ts'
import { quoteName } from '../store/quote-names.ts'
import type { State } from '../store/state.ts'
import { findWorkspace, resolveWorkspace } from '../store/workspaces.ts'
import { resolveIdentity } from './identities.ts'

/** Whether a workspace can be used, or why not. */
export type Access = 'reachable' | 'left' | 'archived' | 'unknown'

/**
 * Whether an identity can use a workspace, or with `null` whether a key of the workspace itself can. Every service account has
 * access to the Default Workspace.
 */
export function detectAccess(state: State, identityId: string | null, workspaceId: string): Access {
  const workspace = findWorkspace(state, workspaceId)
  if (!workspace) return 'unknown'
  if (workspace.archivedAt !== null) return 'archived'
  if (identityId === null) return 'reachable'
  const { kind } = resolveIdentity(state, identityId)
  if (kind === 'service_account' && workspace.isDefault) return 'reachable'
  const member = state.sql
    .get`SELECT 1 FROM members WHERE identity_id = ${identityId} AND workspace_id = ${workspaceId}`
  return member ? 'reachable' : 'left'
}

/**
 * Requires that a credential for this identity, or with `null` for nobody, would work in a workspace.
 * @throws {HelperError} `usage` for a workspace that is unknown or that the identity has no access to, `refused` for an
 * archived one.
 */
export function refuseUnreachable(state: State, identityId: string | null, workspaceId: string): void {
  const { name } = resolveWorkspace(state, workspaceId)
  const access = detectAccess(state, identityId, workspaceId)
  if (access === 'archived')
    throw new HelperError(
      'refused',
      `the workspace ${quoteName(name)} is archived`,
      'name another: gatepass gateway workspaces list --db FILE',
    )
  if (access === 'left')
    throw new HelperError(
      'usage',
      `the user or service account has no access to the workspace ${quoteName(name)}`,
      'give it access: gatepass gateway workspaces add',
    )
}
