import type { ApiProblem } from './api-error.ts'

type Said = Pick<ApiProblem, 'type' | 'message' | 'requestId'>

/**
 * What an answer that is no success says: in the API's envelope, or in the shape of RFC 6749, section 5.2, which the token
 * exchange may use. Never throws. A page that something on the way answered is not repeated.
 */
export function parseProblem(body: string): Said {
  const { error, error_description, request_id } = parseObject(body)
  const requestId = textOf(request_id)
  if (typeof error === 'string')
    return { type: error, message: textOf(error_description) ?? 'no description', requestId }
  const { type, message } = toObject(error)
  return { type: textOf(type), message: textOf(message) ?? 'the answer is not one of the API', requestId }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return toObject(JSON.parse(text))
  } catch {
    return {} // not JSON
  }
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
