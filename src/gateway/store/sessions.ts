import type { State } from './state.ts'

/** Creates a session; its ID. The API has no operation for it. */
export function createSession(state: State, workspaceId: string): string {
  const id = state.newId('session')
  state.sql.run`INSERT INTO sessions VALUES (${id}, ${workspaceId})`
  return id
}

/** Creates an uploaded file without content; its ID. The API has no operation for it. */
export function createFile(state: State, workspaceId: string): string {
  const id = state.newId('file')
  state.sql.run`INSERT INTO files VALUES (${id}, ${workspaceId})`
  return id
}
