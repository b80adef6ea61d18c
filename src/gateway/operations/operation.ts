import type { Area } from '../http/areas.ts'
import type { Call } from '../http/platform-env.ts'

/** One row of the API. */
export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly area: Area
  /** Query parameters that it has. */
  readonly query: readonly string[]
  readonly answer: (call: Call) => Response | Promise<Response>
}
