import { HelperError } from '../../runtime/failure.ts'
import { quoteName } from '../../runtime/text/quote.ts'
import { createWorkspaceRow, type Row, renderStateCommand, type State } from './state.ts'

/** A workspace of the organization. */
export interface Workspace {
  readonly seq: number
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly createdAt: number
  readonly archivedAt: number | null
}

/** Creates a workspace without members. */
export function createWorkspace(state: State, name: string): Workspace {
  const id = state.createId('workspace')
  createWorkspaceRow(state, id, { name, isDefault: 0 })
  return requireWorkspace(state, id)
}

/** Finds the workspace with this ID, even if it is archived. */
export function findWorkspace({ sql }: State, id: string): Workspace | undefined {
  const row = sql.get`SELECT * FROM workspaces WHERE id = ${id}`
  return row && toWorkspace(row)
}

/** Returns the workspace with this ID. @throws {HelperError} `usage` if it does not exist. */
export function requireWorkspace(state: State, id: string): Workspace {
  const found = findWorkspace(state, id)
  if (found) return found
  throw new HelperError(
    'usage',
    `there is no workspace ${quoteName(id)}`,
    `see: ${renderStateCommand(state, 'workspaces list')}`,
  )
}

/** Returns the Default Workspace, which every organization has and which cannot be archived. */
export function requireDefaultWorkspace({ sql }: State): Workspace {
  return toWorkspace(sql.get`SELECT * FROM workspaces WHERE is_default = 1`!)
}

/** The conditions that a listed workspace meets. A member that is absent excludes no workspace. */
export interface WorkspaceFilter {
  readonly scope: 'all' | 'without-default'
  readonly status?: 'active' | 'archived' | undefined
  readonly id?: string | undefined
}

/** Lists workspaces in the order of creation. */
export function listWorkspaces({ sql }: State, filter: WorkspaceFilter, range: RecordRange = {}): Workspace[] {
  const { after = 0, before, limit = -1 } = range
  const id = filter.id ?? null
  const highest = filter.scope === 'all' ? 1 : 0
  const isArchived = filter.status === undefined ? null : Number(filter.status === 'archived')
  const rows =
    before === undefined
      ? sql.all`SELECT * FROM workspaces WHERE seq > ${after} AND is_default <= ${highest} AND id = ifnull(${id}, id)
        AND (archived_at IS NOT NULL) = ifnull(${isArchived}, archived_at IS NOT NULL) ORDER BY seq LIMIT ${limit}`
      : sql.all`SELECT * FROM workspaces WHERE seq < ${before} AND is_default <= ${highest} AND id = ifnull(${id}, id)
        AND (archived_at IS NOT NULL) = ifnull(${isArchived}, archived_at IS NOT NULL)
        ORDER BY seq DESC LIMIT ${limit}`.toReversed()
  return rows.map(toWorkspace)
}

/**
 * Archives a workspace, which cannot be undone. Its keys stop working, and no request can select it.
 * @throws {HelperError} `refused` for the Default Workspace.
 */
export function archiveWorkspace(state: State, id: string): Workspace {
  const { isDefault, archivedAt } = requireWorkspace(state, id)
  if (isDefault)
    throw new HelperError(
      'refused',
      'the Default Workspace cannot be archived',
      `name another: ${renderStateCommand(state, 'workspaces list')}`,
    )
  if (archivedAt === null) state.sql.run`UPDATE workspaces SET archived_at = ${state.now()} WHERE id = ${id}`
  return requireWorkspace(state, id)
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

/** The part of a list of records after the number `after` and before the number `before`, in the order of creation. */
export interface RecordRange {
  readonly after?: number
  readonly before?: number
  /** The most records: the first ones of the part, or with `before` the last ones. All if absent. */
  readonly limit?: number
}
