import type { ApiKeyRecord, WorkspaceRecord } from '../../api/administration.ts'
import { apiPaths } from '../../contract/http-api.ts'
import { findKey, type KeyFilter, listKeys } from '../credentials/api-keys.ts'
import { keyStatuses } from '../credentials/key-life.ts'
import { type AuthenticatedCall, Refusal } from '../http/requests.ts'
import { isIdentifier } from '../store/identifiers.ts'
import type { State } from '../store/state.ts'
import { findWorkspace, listWorkspaces, type RecordRange, type WorkspaceFilter } from '../store/workspaces.ts'
import { findParameter, parsePageQuery, type Query, renderCursor } from './list-page.ts'
import { toKeyRecord, toWorkspaceRecord } from './records.ts'
import { answerPage, type Operation } from './session-operations.ts'

/** The parameters of every list of records, apart from the list's filters. */
const recordParameters = ['limit', 'page', 'after_id', 'before_id'] as const

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
    query: [...recordParameters, ...filters, 'include_default', 'include_archived'],
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
    toRecord: toKeyRecord,
  }
  return answerPage(call, () => renderRecords(state, query, list))
}

/**
 * Renders a page of a list as JSON, in the specification's envelope (`next_page`) and in that of published clients (`has_more`, `first_id`,
 * `last_id`), which page by `after_id` and `before_id`.
 * @throws {Refusal} 400
 */
function renderRecords<Listed extends { readonly seq: number }>(
  state: State,
  query: Query,
  list: RecordList<Listed>,
): string {
  const { limit, ...range } = parseRange(state, query, list)
  // One more row than the page shows: if it exists, there is a further page.
  const rows = list.listRows({ ...range, ...(limit !== undefined && { limit: limit + 1 }) })
  const hasMore = limit !== undefined && rows.length > limit
  const shown = !hasMore ? rows : range.before === undefined ? rows.slice(0, limit) : rows.slice(1)
  const last = shown.at(-1)
  const continues = range.before === undefined ? hasMore : last && list.listRows({ after: last.seq, limit: 1 })[0]
  const records = shown.map(list.toRecord)
  return JSON.stringify({
    data: records,
    next_page: last && continues ? renderCursor({ key: state.cursorKey, list: list.name }, last.seq) : null,
    has_more: hasMore,
    first_id: records[0]?.id ?? null,
    last_id: records.at(-1)?.id ?? null,
  })
}

/** A list of the organization's records. */
interface RecordList<Listed> {
  /** The name with the filters: a cursor of another list, or with other filters, is refused. */
  readonly name: string
  readonly listRows: (range: RecordRange) => readonly Listed[]
  /** The row with this ID, regardless of the filters. */
  readonly findRow: (id: string) => Listed | undefined
  readonly toRecord: (row: Listed) => ApiKeyRecord | WorkspaceRecord
}

function parseRange<Listed extends { readonly seq: number }>(
  state: State,
  query: Query,
  { name, findRow }: RecordList<Listed>,
): RecordRange {
  const { limit, after } = parsePageQuery(state, name, query)
  const positions = ['page', 'after_id', 'before_id'].filter(
    (parameter) => findParameter(query, parameter) !== undefined,
  )
  if (positions.length > 1) throw new Refusal(400, `${positions.join(' and ')} exclude each other`)
  const size = limit === undefined ? {} : { limit }
  const from = findPosition(query, 'after_id', findRow)
  const to = findPosition(query, 'before_id', findRow)
  return to === undefined ? { ...size, after: from ?? after } : { ...size, before: to }
}

function findPosition<Listed extends { readonly seq: number }>(
  query: Query,
  name: string,
  findRow: (id: string) => Listed | undefined,
): number | undefined {
  const id = findParameter(query, name)
  if (id === undefined) return undefined
  const row = findRow(id)
  if (row) return row.seq
  throw new Refusal(400, `${name} is not the ID of a record in this list: take it from first_id or last_id`)
}

function answerKey({ state, request, parameter }: AuthenticatedCall): Response {
  const key = findKey(state, parameter('api_key_id'))
  if (!key) throw new Refusal(404, 'there is no such key')
  return request.json(toKeyRecord(key))
}

function answerWorkspaces(call: AuthenticatedCall): Response {
  const { state, request } = call
  const query = request.req.queries()
  const scope = parseChoice(query, 'include_default', ['true', 'false']) === 'true' ? 'all' : 'without-default'
  const status = parseWorkspaceStatus(query)
  const filter: WorkspaceFilter = { scope, status, id: parseWorkspaceId(query) }
  const list = {
    name: `workspaces ${JSON.stringify(filter)}`,
    listRows: (range: RecordRange) => listWorkspaces(state, filter, range),
    findRow: (id: string) => findWorkspace(state, id),
    toRecord: toWorkspaceRecord,
  }
  return answerPage(call, () => renderRecords(state, query, list))
}

/** Parses `status`, and `include_archived`, which published clients send as well. By default archived workspaces are listed too. */
function parseWorkspaceStatus(query: Query): WorkspaceFilter['status'] {
  const status = parseChoice(query, 'status', ['active', 'archived'])
  if (parseChoice(query, 'include_archived', ['true', 'false']) !== 'false') return status
  if (status === 'archived') throw new Refusal(400, 'status=archived and include_archived=false exclude each other')
  return 'active'
}

function parseChoice<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = findParameter(query, name)
  const choice = choices.find((one) => one === value)
  if (value === undefined || choice !== undefined) return choice
  throw new Refusal(400, `${name} must be ${choices.join(' or ')}`)
}

function parseWorkspaceId(query: Query): string | undefined {
  const id = findParameter(query, 'workspace_id')
  if (id === undefined || isIdentifier('workspace', id)) return id
  throw new Refusal(400, 'workspace_id is not a valid workspace ID')
}
