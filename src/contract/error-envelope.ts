/** Every error status of the API, and its type in the envelope. */
export const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
} as const

/** A status with which a request can fail. */
export type ErrorStatus = keyof typeof errorTypes

/**
 * The API's error envelope: the type and message of the error, and the id of the request. Specification.
 * @param more Further members of the error, such as the reason of a verifier's refusal.
 */
export function createErrorBody(
  type: string,
  message: string,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
) {
  return { type: 'error', error: { type, message, ...more }, request_id: requestId }
}
