import type { Call } from '../http/platform-env.ts'
import { Refusal } from '../http/refusal.ts'
import { isIdentifier } from '../store/identifiers.ts'

/**
 * The session that a path names.
 * @throws {Refusal} 404, for a session of another workspace too.
 */
export function resolveSession({ state, workspace, parameter }: Call): string {
  const id = parameter('session_id')
  const found =
    isIdentifier('session', id) &&
    state.sql.get`SELECT 1 FROM sessions WHERE id = ${id} AND workspace_id = ${workspace?.id ?? null}`
  if (found) return id
  throw new Refusal(404, 'there is no such session')
}

export function hasFile({ state, workspace }: Call, id: string): boolean {
  return state.sql.get`SELECT 1 FROM files WHERE id = ${id} AND workspace_id = ${workspace?.id ?? null}` !== undefined
}
