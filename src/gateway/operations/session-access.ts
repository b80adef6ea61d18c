import type { AuthenticatedCall } from '../http/platform-env.ts'
import { Refusal } from '../http/refusal.ts'
import { isIdentifier } from '../store/identifiers.ts'

/**
 * The ID of the session that a path names.
 * @throws {Refusal} 404, also for a session of another workspace.
 */
export function resolveSession({ state, workspace, parameter }: AuthenticatedCall): string {
  const id = parameter('session_id')
  const found =
    isIdentifier('session', id) &&
    state.sql.get`SELECT 1 FROM sessions WHERE id = ${id} AND workspace_id = ${workspace?.id ?? null}`
  if (found) return id
  throw new Refusal(404, 'there is no such session')
}

/** Whether a file was uploaded to the workspace of a call. */
export function hasFile({ state, workspace }: AuthenticatedCall, id: string): boolean {
  return state.sql.get`SELECT 1 FROM files WHERE id = ${id} AND workspace_id = ${workspace?.id ?? null}` !== undefined
}
