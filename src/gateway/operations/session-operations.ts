import * as z from 'zod'
import type { SessionEvent } from '../../api/session-event.ts'
import { apiLimits, apiPaths, uploadsDirectory } from '../../contract/http-api.ts'
import { type Area, type AuthenticatedCall, answerJson, createTextShape, Refusal, readBody } from '../http/requests.ts'
import { isIdentifier } from '../store/identifiers.ts'
import { addResource, findResource, listResources, type ResourceRow, rotateToken } from '../store/resources.ts'
import { parsePageQuery, renderPage } from './list-page.ts'

const sessionPath = `${apiPaths.sessions}/:session_id`
const resourcesPath = `${sessionPath}/resources`
const resourcePath = `${resourcesPath}/:resource_id`

/** The operations on the resources and events of a session. */
export const sessionOperations: readonly Operation[] = [
  { method: 'GET', path: resourcesPath, area: 'sessions', query: ['limit', 'page'], answer: answerResources },
  { method: 'POST', path: resourcesPath, area: 'sessions', query: [], answer: answerAddition },
  { method: 'GET', path: resourcePath, area: 'sessions', query: [], answer: answerResource },
  { method: 'POST', path: resourcePath, area: 'sessions', query: [], answer: answerRotation },
  { method: 'POST', path: `${sessionPath}/events`, area: 'sessions', query: [], answer: answerEvents },
]

function answerResources(call: AuthenticatedCall): Response {
  const { state, request } = call
  return answerPage(call, () => {
    const session = requireSession(call)
    const name = `resources of ${session}`
    const query = parsePageQuery(state, name, request.req.queries())
    return renderPage(state, name, listResources(state, session, query))
  })
}

const anyAddition = z.looseObject({ type: z.string() })

const fileAddition = z.strictObject({
  type: z.literal('file'),
  file_id: createTextShape(apiLimits.fileIdLength),
  mount_path: createTextShape(apiLimits.mountPathLength).nullish(),
})

async function answerAddition(call: AuthenticatedCall): Promise<Response> {
  const { state, request } = call
  const session = requireSession(call)
  const { type } = await readBody(request, anyAddition)
  if (type !== 'file') throw new Refusal(400, 'type: only a resource of type "file" can be added')
  const { file_id, mount_path } = await readBody(request, fileAddition)
  if (!hasFile(call, file_id)) throw new Refusal(404, 'file_id: there is no such file')
  const added = { type, file_id, mount_path: mount_path ?? `${uploadsDirectory}/${file_id}` } as const
  return answerJson(request, addResource(state, session, added).json)
}

function answerResource(call: AuthenticatedCall): Response {
  return answerJson(call.request, requireResource(call, requireSession(call)).json)
}

const rotation = z.strictObject({ authorization_token: createTextShape(apiLimits.authorizationTokenLength) })

async function answerRotation(call: AuthenticatedCall): Promise<Response> {
  const { state, request } = call
  const session = requireSession(call)
  const found = requireResource(call, session)
  const { authorization_token } = await readBody(request, rotation)
  if (found.type !== 'git_repository')
    throw new Refusal(400, 'only a resource of type "git_repository" has an authorization token')
  rotateToken(state, call.parameter('resource_id'), authorization_token)
  return answerJson(request, requireResource(call, session).json)
}

/** The most events in one request. Our decision; the specification states no limit. */
const maxEvents = 1000

const textBlock = z.strictObject({ type: z.literal('text'), text: z.string() })

const userMessage = z.strictObject({ type: z.literal('user.message'), content: z.array(textBlock).min(1) })

const eventList = z.strictObject({ events: z.array(userMessage).min(1).max(maxEvents) })

async function answerEvents(call: AuthenticatedCall): Promise<Response> {
  const { state, request } = call
  const session = requireSession(call)
  const { events } = await readBody(request, eventList)
  const processedAt = state.now()
  const data = events.map(({ type, content }) => ({
    id: state.createId('event'),
    type,
    content,
    processed_at: new Date(processedAt).toISOString(),
  })) satisfies SessionEvent[]
  state.transact(() => {
    for (const { id, type, content } of data)
      state.sql.run`INSERT INTO events (id, session_id, type, content, processed_at)
        VALUES (${id}, ${session}, ${type}, ${JSON.stringify(content)}, ${processedAt})`
  })
  return request.json({ data })
}

function requireResource({ state, parameter }: AuthenticatedCall, session: string): ResourceRow {
  const found = findResource(state, session, parameter('resource_id'))
  if (found) return found
  throw new Refusal(404, 'there is no such resource')
}

/** Answers with a page of a list as JSON, which is rendered once until the state changes. */
export function answerPage({ pages, request, workspace }: AuthenticatedCall, render: () => string): Response {
  // Requests for the same address in the same workspace have the same page.
  const page = pages(`${workspace?.id} ${request.req.url}`, () => {
    const value = Buffer.from(render())
    return { value, until: Number.POSITIVE_INFINITY, size: value.byteLength }
  })
  return request.body(page, 200, { 'content-type': 'application/json' })
}

/** An operation of the API, with its required permission. */
export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly area: Area
  /** The names of its query parameters. */
  readonly query: readonly string[]
  readonly answer: (call: AuthenticatedCall) => Response | Promise<Response>
}

/**
 * Returns the ID of the session that a path names.
 * @throws {Refusal} 404, also for a session of another workspace.
 */
function requireSession({ state, workspace, parameter }: AuthenticatedCall): string {
  const id = parameter('session_id')
  const found =
    isIdentifier('session', id) &&
    state.sql.get`SELECT 1 FROM sessions WHERE id = ${id} AND workspace_id = ${workspace?.id ?? null}`
  if (found) return id
  throw new Refusal(404, 'there is no such session')
}

/** Returns whether a file was uploaded to the workspace of a call. */
function hasFile({ state, workspace }: AuthenticatedCall, id: string): boolean {
  return state.sql.get`SELECT 1 FROM files WHERE id = ${id} AND workspace_id = ${workspace?.id ?? null}` !== undefined
}
