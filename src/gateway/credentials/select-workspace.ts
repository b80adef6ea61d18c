import { vendor } from '../../vendor.ts'
import { Refusal } from '../http/refusal.ts'
import { isIdentifier } from '../store/identifiers.ts'
import type { State } from '../store/state.ts'
import { findWorkspace, type Workspace } from '../store/workspaces.ts'
import { detectAccess } from './access.ts'
import type { Principal } from './authenticate.ts'

/**
 * The workspace that a request acts in, by its credential and the header of a workspace; `undefined` for an
 * administrative key, which acts in none.
 * @throws {Refusal} 400 or 404, by the first three rows of table "Errors".
 */
export function selectWorkspace(state: State, principal: Principal, named: string | undefined): Workspace | undefined {
  if (named !== undefined && !isIdentifier('workspace', named))
    throw new Refusal(400, `${vendor.workspaceHeader} is not a valid workspace ID`)
  if (principal.class === 'administrative key') return undefined
  return principal.workspaceId === null
    ? selectNamed(state, principal, named)
    : selectBound(state, principal.workspaceId, named)
}

function selectNamed(state: State, { ownerId }: Principal, named: string | undefined): Workspace | undefined {
  if (named === undefined)
    throw new Refusal(400, `${vendor.workspaceHeader} is required: the credential is not scoped to a workspace`)
  const access = detectAccess(state, ownerId, named)
  if (access === 'reachable') return findWorkspace(state, named)
  // The answer is the same for all of them, so that nobody learns which workspaces exist.
  throw new Refusal(404, 'there is no such workspace', {
    reason: access === 'left' ? 'no access' : `${access} workspace`,
  })
}

function selectBound(state: State, bound: string, named: string | undefined): Workspace | undefined {
  if (named === undefined || named === bound) return findWorkspace(state, bound)
  throw new Refusal(400, `${vendor.workspaceHeader} differs from the workspace that the credential is for`)
}
