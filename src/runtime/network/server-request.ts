// Reads the body of a request to one of our servers, and creates the ID of such a request.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The media type of a form (RFC 6749, appendix B). */
export const formType = 'application/x-www-form-urlencoded'

/**
 * Reads the whole body of a request to one of our servers. A body that is too long is read no further, and its connection stays open for
 * the answer; the server limits the time.
 * @param type The only media type that is read, in lower case.
 * @param most The longest body, in bytes.
 * @returns the problem instead, if the body has another type or is longer.
 * @throws the system's error if the sender closes the connection before the end.
 */
export async function readRequestBody(request: IncomingMessage, type: string, most: number): Promise<TypedBody> {
  const [given = ''] = (request.headers['content-type'] ?? '').split(';')
  if (given.trim().toLowerCase() !== type) return { problem: 'type' }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > most) return { problem: 'length' }
    chunks.push(chunk)
  }
  return { text: Buffer.concat(chunks).toString('utf8') }
}

/** Creates the ID of a request to one of our servers, in the form of the platform's API. Redaction for support tickets keeps it. */
export function createRequestId(): string {
  return `req_${randomUUID()}`
}

type TypedBody =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: 'type' | 'length' }
