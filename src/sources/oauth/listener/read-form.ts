import type { IncomingMessage } from 'node:http'

/** In bytes; as much as a query may have with its headers. */
const longestForm = 16_384

/** The fields of a form that is posted; `undefined` for another type, and for one that is too long. The server bounds the time. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return undefined
  const chunks: Buffer[] = []
  let length = 0
  try {
    // Not destroyed when it is too long: the answer goes over the same connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length
      if (length > longestForm) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined // whoever sent it has gone
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
