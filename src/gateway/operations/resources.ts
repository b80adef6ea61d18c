import { z } from 'zod'
import { apiLimits, apiPaths, uploadsDirectory } from '../../contract/http-api.ts'
import { answerJson } from '../http/answer-json.ts'
import type { AuthenticatedCall } from '../http/platform-env.ts'
import { createTextShape, readBody } from '../http/read-body.ts'
import { Refusal } from '../http/refusal.ts'
import { addResource, findResource, listResources, type ResourceRow, rotateToken } from '../store/resources.ts'
import { answerPage } from './answer-page.ts'
import { parsePageQuery, renderPage } from './list-page.ts'
import type { Operation } from './operation.ts'
import { hasFile, resolveSession } from './session-access.ts'

const resources = `${apiPaths.sessions}/:session_id/resources`
const resource = `${resources}/:resource_id`

/** The operations on the resources of a session. */
export const resourceOperations: readonly Operation[] = [
  { method: 'GET', path: resources, area: 'sessions', query: ['limit', 'page'], answer: list },
  { method: 'POST', path: resources, area: 'sessions', query: [], answer: add },
  { method: 'GET', path: resource, area: 'sessions', query: [], answer: get },
  { method: 'POST', path: resource, area: 'sessions', query: [], answer: update },
]

function list(call: AuthenticatedCall): Response {
  const { state, request } = call
  return answerPage(call, () => {
    const session = resolveSession(call)
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

async function add(call: AuthenticatedCall): Promise<Response> {
  const { state, request } = call
  const session = resolveSession(call)
  const { type } = await readBody(request, anyAddition)
  if (type !== 'file') throw new Refusal(400, 'type: only a resource of type "file" can be added')
  const { file_id, mount_path } = await readBody(request, fileAddition)
  if (!hasFile(call, file_id)) throw new Refusal(404, 'file_id: there is no such file')
  const added = { type, file_id, mount_path: mount_path ?? `${uploadsDirectory}/${file_id}` } as const
  return answerJson(request, addResource(state, session, added).json)
}

function get(call: AuthenticatedCall): Response {
  return answerJson(call.request, resolveResource(call, resolveSession(call)).json)
}

const rotation = z.strictObject({ authorization_token: createTextShape(apiLimits.authorizationTokenLength) })

async function update(call: AuthenticatedCall): Promise<Response> {
  const { state, request } = call
  const session = resolveSession(call)
  const found = resolveResource(call, session)
  const { authorization_token } = await readBody(request, rotation)
  if (found.type !== 'git_repository')
    throw new Refusal(400, 'only a resource of type "git_repository" has an authorization token')
  rotateToken(state, call.parameter('resource_id'), authorization_token)
  return answerJson(request, resolveResource(call, session).json)
}

function resolveResource({ state, parameter }: AuthenticatedCall, session: string): ResourceRow {
  const found = findResource(state, session, parameter('resource_id'))
  if (found) return found
  throw new Refusal(404, 'there is no such resource')
}
