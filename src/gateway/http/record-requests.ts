import type { MiddlewareHandler } from 'hono'
import type { State } from '../store/state.ts'
import type { PlatformEnv } from './requests.ts'

/** One answered request, without its credential, body and query. */
export interface PlatformRecord {
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** `reset` where the connection was ended without an answer. */
  readonly status: number | 'reset'
  /** Why it was refused, where the caller does not learn it. */
  readonly reason: string | undefined
  /** A remark on something that the specification does not cover, such as a version that it does not name. */
  readonly note: string | undefined
}

/** Gives every request its id, which the answer carries too, and records the request when it has been answered. */
export function recordRequests(
  state: State,
  onRecord: (record: PlatformRecord) => void,
): MiddlewareHandler<PlatformEnv> {
  return async (c, next) => {
    const requestId = state.createId('request')
    c.set('requestId', requestId)
    // On Node's own answer: one header more on the framework's costs a tenth of a request.
    c.env.outgoing.setHeader('request-id', requestId)
    await next()
    const { method, path } = c.req
    const status = c.get('fault')?.effect.kind === 'reset' ? 'reset' : c.res.status
    onRecord({ requestId, method, path, status, reason: c.get('reason'), note: c.get('note') })
  }
}
