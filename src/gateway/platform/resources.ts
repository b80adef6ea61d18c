import { scryptSync } from 'node:crypto'
import type { FileResource, GitRepositoryResource, KnownResource } from '../../api/session-resource.ts'
import { isIdentifier } from './identifiers.ts'
import { type PageQuery, rowsToFetch } from './list-page.ts'
import type { State } from './state.ts'

/** A resource as it is kept. Its authorization token is not among the fields: it only ever comes in. */
export interface ResourceRow {
  readonly seq: number
  readonly id: string
  readonly type: KnownResource['type']
  readonly createdAt: number
  readonly updatedAt: number
  readonly fields: Readonly<Record<string, unknown>>
}

type Fields<Resource> = Omit<Resource, 'type' | 'id' | 'created_at' | 'updated_at'>

/** What a session can be given. Only files can be added through the API. */
export type NewResource =
  | ({ readonly type: 'file' } & Fields<FileResource>)
  | ({ readonly type: 'git_repository'; readonly authorization_token: string } & Fields<GitRepositoryResource>)
  | {
      readonly type: 'memory_store'
      readonly memory_store_id: string
      readonly access: 'read_only' | 'read_write'
      readonly mount_path: string
    }

export function addResource(state: State, sessionId: string, resource: NewResource): ResourceRow {
  const { type, ...rest } = resource
  const { authorization_token: token, ...fields } = { authorization_token: undefined, ...rest }
  return state.transact(() => {
    const id = state.newId('resource')
    const last = state.sql
      .get`SELECT created_at FROM resources WHERE session_id = ${sessionId} ORDER BY seq DESC LIMIT 1`
    // Never before its predecessor, whatever the clock does: the list is in the order of `created_at`.
    const at = Math.max(state.now(), Number(last?.created_at ?? 0))
    state.sql.run`
      INSERT INTO resources (id, session_id, type, created_at, updated_at, fields, token_digest) VALUES
      (${id}, ${sessionId}, ${type}, ${at}, ${at}, ${JSON.stringify(fields)}, ${token === undefined ? null : digestToken(id, token)})`
    return findResource(state, sessionId, id)!
  })
}

export function findResource({ sql }: State, sessionId: string, id: string): ResourceRow | undefined {
  if (!isIdentifier('resource', id)) return undefined
  const row = sql.get`SELECT * FROM resources WHERE session_id = ${sessionId} AND id = ${id}`
  return row && toResource(row)
}

/** A page of a session's resources in the order of `created_at`. */
export function listResources({ sql }: State, sessionId: string, query: PageQuery): ResourceRow[] {
  return sql.all`SELECT * FROM resources WHERE session_id = ${sessionId} AND seq > ${query.after}
    ORDER BY seq LIMIT ${rowsToFetch(query)}`.map(toResource)
}

export function rotateToken(state: State, { id }: ResourceRow, token: string): void {
  state.sql
    .run`UPDATE resources SET token_digest = ${digestToken(id, token)}, updated_at = ${state.now()} WHERE id = ${id}`
}

/** As the API shows it. */
export function renderResource({ type, id, createdAt, updatedAt, fields }: ResourceRow) {
  return {
    type,
    id,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    ...fields,
  }
}

/** A token that people chose may be short, so its digest is slow and salted. */
function digestToken(salt: string, token: string): string {
  return scryptSync(token, salt, 32).toString('hex')
}

function toResource(row: NonNullable<ReturnType<State['sql']['get']>>): ResourceRow {
  return {
    seq: Number(row.seq),
    id: String(row.id),
    type: row.type as ResourceRow['type'], // the schema lets nothing else in
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    fields: JSON.parse(String(row.fields)),
  }
}
