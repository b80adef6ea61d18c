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
