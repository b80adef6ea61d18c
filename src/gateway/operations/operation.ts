import type { Area } from '../http/areas.ts'
import type { AuthenticatedCall } from '../http/platform-env.ts'

/** One operation of the API. */
export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly area: Area
  /** The names of its query parameters. */
  readonly query: readonly string[]
  readonly answer: (call: AuthenticatedCall) => Response | Promise<Response>
}
