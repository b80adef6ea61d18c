import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from '../http/refusal.ts'

/** Binds a cursor to the list that it was made for; `key` is the platform's own. */
export interface CursorScope {
  readonly key: string
  readonly list: string
}

/** A position in a list: behind the item with this number, whatever is added later. */
export function renderCursor(scope: CursorScope, after: number): string {
  return Buffer.concat([sign(scope, after), Buffer.from(String(after))]).toString('base64url')
}

/** @throws {Refusal} 400 for anything but a cursor of this list. */
export function parseCursor(scope: CursorScope, cursor: string): number {
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
