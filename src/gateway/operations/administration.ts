import { findKey, listKeys } from '../credentials/keys.ts'
import { answerJson } from '../http/answer-json.ts'
import type { Call } from '../http/platform-env.ts'
import { Refusal } from '../http/refusal.ts'
import { listWorkspaces } from '../store/workspaces.ts'
import { cutPage, parsePageQuery, readParameter, renderPage, rowsToFetch } from './list-page.ts'
import type { Operation } from './operation.ts'
import { renderKey, renderWorkspace } from './render-records.ts'

const keys = '/v1/organizations/api_keys'

/** The organization: its keys and workspaces. The paths are ours; the documents name the operations only. */
export const administrationOperations: readonly Operation[] = [
  { method: 'GET', path: keys, area: 'administration', query: ['limit', 'page'], answer: showKeys },
  { method: 'GET', path: `${keys}/:api_key_id`, area: 'administration', query: [], answer: showKey },
  {
    method: 'GET',
    path: '/v1/organizations/workspaces',
    area: 'administration',
    query: ['limit', 'page', 'include_default'],
    answer: showWorkspaces,
  },
]

function showKeys({ state, request }: Call): Response {
  const query = parsePageQuery(state, 'keys', request.req.queries())
  const rows = listKeys(state, query.after, rowsToFetch(query))
  return answerJson(request, renderPage(state, 'keys', cutPage(query, rows, renderKey)))
}

function showKey({ state, request, parameter }: Call): Response {
  const key = findKey(state, parameter('api_key_id'))
  if (!key) throw new Refusal(404, 'there is no such key')
  return request.json(renderKey(key))
}

function showWorkspaces({ state, request }: Call): Response {
  const parameters = request.req.queries()
  const included = readParameter(parameters, 'include_default') ?? 'false'
  if (included !== 'true' && included !== 'false') throw new Refusal(400, 'include_default must be true or false')
  const name = `workspaces ${included}`
  const query = parsePageQuery(state, name, parameters)
  const scope = included === 'true' ? 'all' : 'without-default'
  const rows = listWorkspaces(state, scope, query.after, rowsToFetch(query))
  return answerJson(request, renderPage(state, name, cutPage(query, rows, renderWorkspace)))
}
