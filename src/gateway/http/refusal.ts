import type { ErrorStatus } from '../../contract/error-envelope.ts'

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
