import { apiPaths } from '../../contract/http-api.ts'
import { keyStatuses } from '../credentials/key-states.ts'
import { findKey, type KeyFilter, listKeys } from '../credentials/keys.ts'
import type { AuthenticatedCall } from '../http/platform-env.ts'
import { Refusal } from '../http/refusal.ts'
import { isIdentifier } from '../store/identifiers.ts'
import type { RecordRange } from '../store/page.ts'
import { findWorkspace, listWorkspaces, type WorkspaceFilter } from '../store/workspaces.ts'
import { answerPage } from './answer-page.ts'
import { type Query, readParameter } from './list-page.ts'
import type { Operation } from './operation.ts'
import { recordParameters, renderRecords } from './record-list.ts'
import { renderKey, renderWorkspace } from './render-records.ts'

const filters = ['status', 'workspace_id']

/** The operations on the organization's keys and workspaces. */
export const administrationOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: apiPaths.keys,
    area: 'administration',
    query: [...recordParameters, ...filters],
    answer: answerKeys,
  },
  { method: 'GET', path: `${apiPaths.keys}/:api_key_id`, area: 'administration', query: [], answer: answerKey },
  {
    method: 'GET',
    path: apiPaths.workspaces,
    area: 'administration',
    query: [...recordParameters, ...filters, 'include_default'],
    answer: answerWorkspaces,
  },
]

function answerKeys(call: AuthenticatedCall): Response {
  const { state, request } = call
  const query = request.req.queries()
  const status = parseChoice(query, 'status', keyStatuses)
  const filter: KeyFilter = { status, workspaceId: parseWorkspaceId(query) }
  const list = {
    name: `keys ${JSON.stringify(filter)}`,
    listRows: (range: RecordRange) => listKeys(state, filter, range),
    findRow: (id: string) => findKey(state, id),
    render: renderKey,
  }
  return answerPage(call, () => renderRecords(state, query, list))
}

function answerKey({ state, request, parameter }: AuthenticatedCall): Response {
  const key = findKey(state, parameter('api_key_id'))
  if (!key) throw new Refusal(404, 'there is no such key')
  return request.json(renderKey(key))
}

function answerWorkspaces(call: AuthenticatedCall): Response {
  const { state, request } = call
  const query = request.req.queries()
  const scope = parseChoice(query, 'include_default', ['true', 'false']) === 'true' ? 'all' : 'without-default'
  const status = parseChoice(query, 'status', ['active', 'archived'])
  const filter: WorkspaceFilter = { scope, status, id: parseWorkspaceId(query) }
  const list = {
    name: `workspaces ${JSON.stringify(filter)}`,
    listRows: (range: RecordRange) => listWorkspaces(state, filter, range),
    findRow: (id: string) => findWorkspace(state, id),
    render: renderWorkspace,
  }
  return answerPage(call, () => renderRecords(state, query, list))
}

function parseChoice<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = readParameter(query, name)
  const choice = choices.find((one) => one === value)
  if (value === undefined || choice !== undefined) return choice
  throw new Refusal(400, `${name} must be ${choices.join(' or ')}`)
}

function parseWorkspaceId(query: Query): string | undefined {
  const id = readParameter(query, 'workspace_id')
  if (id === undefined || isIdentifier('workspace', id)) return id
  throw new Refusal(400, 'workspace_id is not a valid workspace ID')
}
