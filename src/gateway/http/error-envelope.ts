import { randomUUID } from 'node:crypto'

/** The API's error envelope: the type and message of the error, and the id of the request. Specification. */
export function createErrorBody(type: string, message: string, requestId = `req_${randomUUID()}`) {
  return { type: 'error', error: { type, message }, request_id: requestId }
}
