import { apiPaths } from '../../contract/http-api.ts'
import { findKey, listKeys } from '../credentials/keys.ts'
import { answerJson } from '../http/answer-json.ts'
import type { AuthenticatedCall } from '../http/platform-env.ts'
import { Refusal } from '../http/refusal.ts'
import { listWorkspaces } from '../store/workspaces.ts'
import { parsePageQuery, readParameter, renderPage, toPage, toRowLimit } from './list-page.ts'
import type { Operation } from './operation.ts'
import { renderKey, renderWorkspace } from './render-records.ts'

/** The operations on the organization's keys and workspaces. */
export const administrationOperations: readonly Operation[] = [
  { method: 'GET', path: apiPaths.keys, area: 'administration', query: ['limit', 'page'], answer: answerKeys },
  { method: 'GET', path: `${apiPaths.keys}/:api_key_id`, area: 'administration', query: [], answer: answerKey },
  {
    method: 'GET',
    path: apiPaths.workspaces,
    area: 'administration',
    query: ['limit', 'page', 'include_default'],
    answer: answerWorkspaces,
  },
]

function answerKeys({ state, request }: AuthenticatedCall): Response {
  const query = parsePageQuery(state, 'keys', request.req.queries())
  const rows = listKeys(state, query.after, toRowLimit(query))
  return answerJson(request, renderPage(state, 'keys', toPage(query, rows, renderKey)))
}

function answerKey({ state, request, parameter }: AuthenticatedCall): Response {
  const key = findKey(state, parameter('api_key_id'))
  if (!key) throw new Refusal(404, 'there is no such key')
  return request.json(renderKey(key))
}

function answerWorkspaces({ state, request }: AuthenticatedCall): Response {
  const parameters = request.req.queries()
  const included = readParameter(parameters, 'include_default') ?? 'false'
  if (included !== 'true' && included !== 'false') throw new Refusal(400, 'include_default must be true or false')
  const name = `workspaces ${included}`
  const query = parsePageQuery(state, name, parameters)
  const scope = included === 'true' ? 'all' : 'without-default'
  const rows = listWorkspaces(state, scope, query.after, toRowLimit(query))
  return answerJson(request, renderPage(state, name, toPage(query, rows, renderWorkspace)))
}
