import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from '../http/refusal.ts'

/** The list that a cursor belongs to, and the platform's key that signs it. */
interface CursorScope {
  readonly key: string
  readonly list: string
}

/** The position in a list after the item with this number; items that are added later do not move it. */
export function renderCursor(scope: CursorScope, after: number): string {
  return Buffer.concat([sign(scope, after), Buffer.from(String(after))]).toString('base64url')
}

/** The number of the item after which a page begins. @throws {Refusal} 400 for anything but a cursor of this list. */
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
