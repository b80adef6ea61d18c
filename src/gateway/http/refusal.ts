/** Every error status, and its type in the envelope. */
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

interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>
  /** For the gateway's own record; the caller does not learn it. */
  readonly reason?: string
}

/** A refused request, which is answered with the error envelope. The message never repeats a secret. */
export class Refusal extends Error {
  readonly status: ErrorStatus
  readonly headers: Readonly<Record<string, string>>
  readonly reason: string | undefined

  constructor(status: ErrorStatus, message: string, { headers = {}, reason }: RefusalDetails = {}) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.headers = headers
    this.reason = reason
  }
}
