import type { ApiProblem } from './api-error.ts'
import { safeCode, safeWords } from './safe-words.ts'

type Said = Pick<ApiProblem, 'type' | 'message' | 'requestId'>

/**
 * What an answer that is no success says: in the API's envelope, or in the shape of RFC 6749, section 5.2, which the token
 * exchange may use. Never throws. A page that something on the way answered is not repeated, and neither is anything
 * that was sent.
 */
export function parseProblem(body: string, secrets: readonly string[]): Said {
  const { error, error_description, request_id } = parseObject(body)
  const requestId = safeCode(request_id, secrets)
  const words = (text: unknown, otherwise: string) => (typeof text === 'string' ? safeWords(text, secrets) : otherwise)
  if (typeof error === 'string')
    return { type: safeCode(error, secrets), message: words(error_description, 'no description'), requestId }
  const { type, message } = toObject(error)
  return { type: safeCode(type, secrets), message: words(message, 'the answer is not one of the API'), requestId }
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
