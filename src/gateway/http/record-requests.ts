import type { MiddlewareHandler } from 'hono'
import type { State } from '../store/state.ts'
import type { PlatformEnv } from './requests.ts'

/** One answered request, without its credential, body and query. */
export interface PlatformRecord {
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** `reset` if the connection was closed without an answer. */
  readonly status: number | 'reset'
  /** Why it was refused, if the caller does not learn the reason. */
  readonly reason: string | undefined
  /** A remark about something that the specification does not cover, such as an unknown version. */
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
    // The header is set on Node's own answer: another header on the framework's answer takes a tenth of a request's time.
    c.env.outgoing.setHeader('request-id', requestId)
    await next()
    const { method, path } = c.req
    const status = c.get('fault')?.effect.kind === 'reset' ? 'reset' : c.res.status
    onRecord({ requestId, method, path, status, reason: c.get('reason'), note: c.get('note') })
  }
}
