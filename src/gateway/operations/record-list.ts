import type { ApiKeyRecord, WorkspaceRecord } from '../../api/administration.ts'
import { Refusal } from '../http/refusal.ts'
import type { RecordRange } from '../store/page.ts'
import type { State } from '../store/state.ts'
import { renderCursor } from './cursor.ts'
import { parsePageQuery, type Query, readParameter } from './list-page.ts'

/** The parameters of a list of records besides its filters. */
export const recordParameters = ['limit', 'page', 'after_id', 'before_id'] as const

/** A list of records that the organization has. */
interface RecordList<Row> {
  /** With its filters: a cursor of another list, or of other filters, is refused. */
  readonly name: string
  readonly listRows: (range: RecordRange) => readonly Row[]
  /** The row with this ID, whether the filters let it through or not. */
  readonly findRow: (id: string) => Row | undefined
  readonly render: (row: Row) => ApiKeyRecord | WorkspaceRecord
}

/**
 * A page of a list as JSON, in the specification's envelope (`next_page`) and in that of published clients (`has_more`,
 * `first_id`, `last_id`), which page by `after_id` and `before_id`.
 * @throws {Refusal} 400
 */
export function renderRecords<Row extends { readonly seq: number }>(
  state: State,
  query: Query,
  list: RecordList<Row>,
): string {
  const { limit, ...range } = parseRange(state, query, list)
  // One row more than the page shows tells whether there are others.
  const rows = list.listRows({ ...range, ...(limit !== undefined && { limit: limit + 1 }) })
  const hasMore = limit !== undefined && rows.length > limit
  const shown = !hasMore ? rows : range.before === undefined ? rows.slice(0, limit) : rows.slice(1)
  const last = shown.at(-1)
  const continues = range.before === undefined ? hasMore : last && list.listRows({ after: last.seq, limit: 1 })[0]
  const records = shown.map(list.render)
  return JSON.stringify({
    data: records,
    next_page: last && continues ? renderCursor({ key: state.cursorKey, list: list.name }, last.seq) : null,
    has_more: hasMore,
    first_id: records[0]?.id ?? null,
    last_id: records.at(-1)?.id ?? null,
  })
}

function parseRange<Row extends { readonly seq: number }>(
  state: State,
  query: Query,
  { name, findRow }: RecordList<Row>,
): RecordRange {
  const { limit, after } = parsePageQuery(state, name, query)
  const positions = ['page', 'after_id', 'before_id'].filter(
    (parameter) => readParameter(query, parameter) !== undefined,
  )
  if (positions.length > 1) throw new Refusal(400, `${positions.join(' and ')} exclude each other`)
  const size = limit === undefined ? {} : { limit }
  const from = findPosition(query, 'after_id', findRow)
  const to = findPosition(query, 'before_id', findRow)
  return to === undefined ? { ...size, after: from ?? after } : { ...size, before: to }
}

function findPosition<Row extends { readonly seq: number }>(
  query: Query,
  name: string,
  findRow: (id: string) => Row | undefined,
): number | undefined {
  const id = readParameter(query, name)
  if (id === undefined) return undefined
  const row = findRow(id)
  if (row) return row.seq
  throw new Refusal(400, `${name} is not the ID of a record in this list: take it from first_id or last_id`)
}
