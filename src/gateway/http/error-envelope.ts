import { randomUUID } from 'node:crypto'

/** The API's error envelope. Specification: `error` with type and message, and the id of the failed request. */
export function errorBody(type: string, message: string, requestId = `req_${randomUUID()}`) {
  return { type: 'error', error: { type, message }, request_id: requestId }
}
