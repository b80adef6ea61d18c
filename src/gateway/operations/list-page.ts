import { createHmac, timingSafeEqual } from 'node:crypto'
import { apiLimits } from '../../contract/http-api.ts'
import { quoteNames } from '../../runtime/text/quote.ts'
import { Refusal } from '../http/requests.ts'
import type { Page, PageQuery } from '../store/resources.ts'
import type { State } from '../store/state.ts'

/** Query parameters with all their values. */
export type Query = Readonly<Record<string, readonly string[]>>

/**
 * Parses `limit` and `page`.
 * @param list The name of the list; a cursor of another list is refused.
 * @throws {Refusal} 400
 */
export function parsePageQuery(state: State, list: string, query: Query): PageQuery {
  const limit = findParameter(query, 'limit')
  const page = findParameter(query, 'page')
  return {
    limit: limit === undefined ? undefined : parseLimit(limit),
    after: page === undefined ? 0 : parseCursor({ key: state.cursorKey, list }, page),
  }
}

/**
 * Finds the value of a query parameter.
 * @throws {Refusal} 400 if it is sent more than once.
 */
export function findParameter(query: Query, name: string): string | undefined {
  const [value, ...others] = query[name] ?? []
  if (others.length > 0) throw new Refusal(400, `${name} is sent more than once`)
  return value
}

/**
 * Refuses unknown parameters, but accepts `beta=true`, which published clients send with every operation in beta.
 * @throws {Refusal} 400 for a parameter that the operation does not have, such as a misspelt `limit`.
 */
export function refuseUnknownParameters(query: Query, known: readonly string[]): void {
  const unknown = Object.keys(query).filter((name) => name !== 'beta' && !known.includes(name))
  if (unknown.length > 0)
    throw new Refusal(400, `this operation does not have the query parameter ${quoteNames(unknown)}`)
  if ((findParameter(query, 'beta') ?? 'true') !== 'true') throw new Refusal(400, 'beta must be true')
}

/** Renders the envelope of a list, as JSON. */
export function renderPage({ cursorKey }: State, list: string, { items, continuesAfter }: Page): string {
  const next = continuesAfter === undefined ? null : renderCursor({ key: cursorKey, list }, continuesAfter)
  return `{"data":[${items}],"next_page":${JSON.stringify(next)}}`
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (/^\d{1,10}$/.test(text) && limit >= 1 && limit <= apiLimits.pageSize) return limit
  throw new Refusal(400, `limit must be a whole number from 1 to ${apiLimits.pageSize}`)
}

/** The list that a cursor belongs to, and the platform's key that signs it. */
interface CursorScope {
  readonly key: string
  readonly list: string
}

/** Renders the position in a list after the item with this number; items that are added later do not move it. */
export function renderCursor(scope: CursorScope, after: number): string {
  return Buffer.concat([sign(scope, after), Buffer.from(String(after))]).toString('base64url')
}

/** Parses a cursor to the number of the item after which a page begins. @throws {Refusal} 400 for anything but a cursor of this list. */
function parseCursor(scope: CursorScope, cursor: string): number {
  const bytes = Buffer.from(cursor, 'base64url')
  const after = Number(bytes.subarray(signatureBytes).toString('latin1'))
  const isOurs =
    Number.isSafeInteger(after) &&
    bytes.length > signatureBytes &&
    timingSafeEqual(bytes.subarray(0, signatureBytes), sign(scope, after)) &&
    renderCursor(scope, after) === cursor
  if (isOurs) return after
  throw new Refusal(400, 'page is not a cursor of this list: take it from next_page')
}

const signatureBytes = 12

function sign({ key, list }: CursorScope, after: number): Buffer {
  return createHmac('sha256', key).update(`${list}\n${after}`).digest().subarray(0, signatureBytes)
}
