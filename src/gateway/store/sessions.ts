import { Refusal } from '../http/refusal.ts'
import type { Call } from '../operations/operation.ts'
import { isIdentifier } from './identifiers.ts'
import type { State } from './state.ts'

/** Sessions have no public way to come into being. */
export function createSession(state: State, workspaceId: string): string {
  const id = state.newId('session')
  state.sql.run`INSERT INTO sessions VALUES (${id}, ${workspaceId})`
  return id
}

/** Stands for a file that was uploaded. */
export function createFile(state: State, workspaceId: string): string {
  const id = state.newId('file')
  state.sql.run`INSERT INTO files VALUES (${id}, ${workspaceId})`
  return id
}

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
