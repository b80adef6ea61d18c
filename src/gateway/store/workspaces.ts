import { HelperError } from '../../runtime/failure.ts'
import type { State } from './state.ts'

export interface Workspace {
  readonly seq: number
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly createdAt: number
  readonly archivedAt: number | null
}

type Row = NonNullable<ReturnType<State['sql']['get']>>

export function createWorkspace(state: State, name: string): Workspace {
  const id = state.newId('workspace')
  state.sql.run`INSERT INTO workspaces (id, name, is_default, created_at) VALUES (${id}, ${name}, 0, ${state.now()})`
  return resolveWorkspace(state, id)
}

export function findWorkspace({ sql }: State, id: string): Workspace | undefined {
  const row = sql.get`SELECT * FROM workspaces WHERE id = ${id}`
  return row && toWorkspace(row)
}

/** @throws {HelperError} `usage` where there is none, for the console. */
export function resolveWorkspace(state: State, id: string): Workspace {
  const found = findWorkspace(state, id)
  if (found) return found
  throw new HelperError('usage', `there is no workspace ${JSON.stringify(id)}`, 'see: gatepass gateway workspaces list')
}

/** The workspace that every organization has and that cannot be archived. */
export function resolveDefaultWorkspace({ sql }: State): Workspace {
  return toWorkspace(sql.get`SELECT * FROM workspaces WHERE is_default = 1`!)
}

/** In the order in which they were made, those after `after`; the Default Workspace only if it is asked for. */
export function listWorkspaces({ sql }: State, scope: 'all' | 'without-default', after = 0, limit = -1): Workspace[] {
  const highest = scope === 'all' ? 1 : 0
  const rows = sql.all`SELECT * FROM workspaces WHERE seq > ${after} AND is_default <= ${highest} ORDER BY seq LIMIT ${limit}`
  return rows.map(toWorkspace)
}

/** For good. Its keys stop working; nobody can select it any more. */
export function archiveWorkspace(state: State, id: string): Workspace {
  const { isDefault, archivedAt } = resolveWorkspace(state, id)
  if (isDefault)
    throw new HelperError(
      'refused',
      'the Default Workspace cannot be archived',
      'name another: gatepass gateway workspaces list',
    )
  if (archivedAt === null) state.sql.run`UPDATE workspaces SET archived_at = ${state.now()} WHERE id = ${id}`
  return resolveWorkspace(state, id)
}

function toWorkspace(row: Row): Workspace {
  return {
    seq: Number(row.seq),
    id: String(row.id),
    name: String(row.name),
    isDefault: row.is_default === 1,
    createdAt: Number(row.created_at),
    archivedAt: row.archived_at === null ? null : Number(row.archived_at),
  }
}
