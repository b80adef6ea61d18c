import { parseObject } from '../../runtime/parse-object.ts'
import type { ApiProblem } from './api-error.ts'
import { toSafeCode, toSafeText } from './safe-text.ts'

type ParsedProblem = Pick<ApiProblem, 'type' | 'message' | 'requestId'>

/**
 * Reads an error, in the API's envelope or in the form of RFC 6749, section 5.2, which the token exchange may use. Never
 * throws. Text that is not in these forms, such as a proxy's web page, is not repeated, and neither is anything that was sent.
 * @param secrets What was sent and must not be printed.
 */
export function parseProblem(body: string, secrets: readonly string[]): ParsedProblem {
  const { error, error_description, request_id } = parseObject(body) ?? {}
  const requestId = toSafeCode(request_id, secrets)
  const toMessage = (text: unknown, otherwise: string) =>
    typeof text === 'string' ? toSafeText(text, secrets) : otherwise
  if (typeof error === 'string')
    return { type: toSafeCode(error, secrets), message: toMessage(error_description, 'no description'), requestId }
  const { type, message } = toObject(error)
  return {
    type: toSafeCode(type, secrets),
    message: toMessage(message, 'the answer is not in the form of the API'),
    requestId,
  }
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
