import { scryptSync } from 'node:crypto'
import type { FileResource, GitRepositoryResource, KnownResource } from '../../api/session-resource.ts'
import { isIdentifier } from './identifiers.ts'
import type { State } from './state.ts'

/** A resource as it is stored, without its authorization token, which the API never returns. */
export interface ResourceRow {
  readonly type: KnownResource['type']
  /** The resource as the API shows it, rendered, so that a list of a thousand is not parsed and rendered again. */
  readonly json: string
}

/**
 * Adds a resource.
 * @returns its ID, and its JSON as the API shows it.
 */
export function addResource(state: State, sessionId: string, resource: NewResource): { id: string; json: string } {
  const { type, ...fields } = resource
  return state.transact(() => {
    const id = state.createId('resource')
    const last = state.sql
      .get`SELECT created_at FROM resources WHERE session_id = ${sessionId} ORDER BY seq DESC LIMIT 1`
    // Never earlier than its predecessor even if the clock goes back, because lists are in the order of `created_at`.
    const at = Math.max(state.now(), Number(last?.created_at ?? 0))
    const time = new Date(at).toISOString()
    const json = JSON.stringify({ type, id, created_at: time, updated_at: time, ...fields })
    state.sql.run`
      INSERT INTO resources (id, session_id, type, created_at, json) VALUES (${id}, ${sessionId}, ${type}, ${at}, ${json})`
    return { id, json }
  })
}

type Fields<Resource> = Omit<Resource, 'type' | 'id' | 'created_at' | 'updated_at'>

/** A resource to add. The API itself can add only files. A repository has no authorization token until one is rotated in. */
type NewResource =
  | ({ readonly type: 'file' } & Fields<FileResource>)
  | ({ readonly type: 'git_repository' } & Fields<GitRepositoryResource>)
  | {
      readonly type: 'memory_store'
      readonly memory_store_id: string
      readonly access: 'read_only' | 'read_write'
      readonly mount_path: string
    }

export function findResource({ sql }: State, sessionId: string, id: string): ResourceRow | undefined {
  if (!isIdentifier('resource', id)) return undefined
  const row = sql.get`SELECT type, json FROM resources WHERE session_id = ${sessionId} AND id = ${id}`
  return row as unknown as ResourceRow | undefined // the schema permits only these values
}

/**
 * Lists a page of a session's resources in the order of `created_at`. The database joins the items, because reading a thousand rows took
 * longer than the rest of the request.
 */
export function listResources({ sql }: State, sessionId: string, { after, limit = -1 }: PageQuery): Page {
  const page = sql.get`SELECT coalesce(group_concat(json, ',' ORDER BY seq), '') AS items, max(seq) AS last FROM
    (SELECT seq, json FROM resources WHERE session_id = ${sessionId} AND seq > ${after} ORDER BY seq LIMIT ${limit})`!
  const last = Number(page.last)
  const more = sql.get`SELECT 1 FROM resources WHERE session_id = ${sessionId} AND seq > ${last} LIMIT 1`
  return { items: String(page.items), continuesAfter: more && last }
}

/** A request for a part of a list: at most `limit` items, or all of them, after the item with the number `after`. */
export interface PageQuery {
  readonly after: number
  readonly limit: number | undefined
}

/** A rendered page of a list. */
export interface Page {
  /** The items as JSON, separated by commas. */
  readonly items: string
  /** The number of the last item, if other items follow it. */
  readonly continuesAfter: number | undefined
}

/** Replaces the authorization token of a repository. */
export function rotateToken({ sql, now }: State, id: string, token: string): void {
  const updatedAt = new Date(now()).toISOString()
  sql.run`UPDATE resources SET token_digest = ${digestToken(id, token)},
    json = json_set(json, '$.updated_at', ${updatedAt}) WHERE id = ${id}`
}

/** Digests a token slowly and with a salt, because a token that a person chose may be short. */
function digestToken(salt: string, token: string): string {
  return scryptSync(token, salt, 32).toString('hex')
}
