import { apiLimits } from '../../contract/http-api.ts'
import { Refusal } from '../http/refusal.ts'
import type { Page, PageQuery } from '../store/page.ts'
import { quoteNames } from '../store/quote-names.ts'
import type { State } from '../store/state.ts'
import { parseCursor, renderCursor } from './cursor.ts'

/** Query parameters with all their values. */
export type Query = Readonly<Record<string, readonly string[]>>

/**
 * Reads `limit` and `page`.
 * @param list The name of the list; a cursor of another list is refused.
 * @throws {Refusal} 400
 */
export function parsePageQuery(state: State, list: string, query: Query): PageQuery {
  const limit = readParameter(query, 'limit')
  const page = readParameter(query, 'page')
  return {
    limit: limit === undefined ? undefined : parseLimit(limit),
    after: page === undefined ? 0 : parseCursor({ key: state.cursorKey, list }, page),
  }
}

/** The value of a query parameter. @throws {Refusal} 400 where it is sent more than once. */
export function readParameter(query: Query, name: string): string | undefined {
  const [value, ...others] = query[name] ?? []
  if (others.length > 0) throw new Refusal(400, `${name} is sent more than once`)
  return value
}

/**
 * Lets `beta=true` through, which published clients send with every operation in beta.
 * @throws {Refusal} 400 for a parameter that the operation does not have, such as a misspelt `limit`.
 */
export function refuseUnknownParameters(query: Query, known: readonly string[]): void {
  const unknown = Object.keys(query).filter((name) => name !== 'beta' && !known.includes(name))
  if (unknown.length > 0)
    throw new Refusal(400, `this operation does not have the query parameter ${quoteNames(unknown)}`)
  if ((readParameter(query, 'beta') ?? 'true') !== 'true') throw new Refusal(400, 'beta must be true')
}

/** The envelope of a list, as JSON. */
export function renderPage({ cursorKey }: State, list: string, { items, continuesAfter }: Page): string {
  const next = continuesAfter === undefined ? null : renderCursor({ key: cursorKey, list }, continuesAfter)
  return `{"data":[${items}],"next_page":${JSON.stringify(next)}}`
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (/^\d{1,10}$/.test(text) && limit >= 1 && limit <= apiLimits.pageSize) return limit
  throw new Refusal(400, `limit must be a whole number from 1 to ${apiLimits.pageSize}`)
}
