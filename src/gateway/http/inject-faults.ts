import { setTimeout as sleep } from 'node:timers/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { MiddlewareHandler } from 'hono'
import { createFaults, type Fault } from './faults.ts'
import type { PlatformEnv } from './platform-env.ts'
import { Refusal } from './refusal.ts'

/** Makes requests fail on demand, before their credential is checked. */
export function injectFaults(faults: readonly Fault[]): MiddlewareHandler<PlatformEnv> {
  const take = createFaults(faults)
  return async (c, next) => {
    const fault = take(c.req.method, c.req.path)
    c.set('fault', fault)
    const effect = fault?.effect
    switch (effect?.kind) {
      case 'status': {
        const headers = effect.retryAfterSec === undefined ? {} : { 'retry-after': String(effect.retryAfterSec) }
        throw new Refusal(effect.status, 'this is a fault on demand', { headers, reason: 'fault' })
      }
      case 'reset':
        c.set('reason', 'fault')
        c.env.incoming.socket.resetAndDestroy()
        return RESPONSE_ALREADY_SENT
      case 'slow':
        await sleep(effect.ms)
    }
    return next()
  }
}
