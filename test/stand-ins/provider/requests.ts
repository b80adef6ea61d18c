import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'oidc-provider'
import { endpoints } from './configuration.ts'

/** One of the provider's endpoints, as tests name it. */
export type Endpoint = keyof typeof endpoints

/** A request that the provider has had. */
export interface SeenRequest {
  readonly endpoint: Endpoint
  /** Its parameters; empty where it was refused before they were read. */
  readonly parameters: Readonly<Record<string, string>>
  readonly status: number
}

/**
 * How an answer fails: with a status (and what else an answer has); `reset` before the request is read; `down`, with which the
 * provider goes down, too. After the provider has done what was asked: `lost`; `silence`, with the connection open; or an answer that
 * comes so many milliseconds later.
 */
export type Fault =
  | { readonly status: number; readonly body?: object | string; readonly headers?: Readonly<Record<string, string>> }
  | 'reset'
  | 'down'
  | 'lost'
  | 'silence'
  | { readonly laterMs: number }

/** Creates the requests that the provider received, and the wrong answers that it gives on demand. */
export function createRequests(goDown: () => Promise<void>) {
  const seen: SeenRequest[] = []
  const faults = new Map<Endpoint, Fault[]>()

  const middleware = async (context: Context, next: () => Promise<void>): Promise<void> => {
    const endpoint = findEndpoint(context.path)
    if (!endpoint) return next()
    const fault = faults.get(endpoint)?.shift()
    const isLate = fault === 'silence' || (typeof fault === 'object' && 'laterMs' in fault)
    if (fault === undefined || fault === 'lost' || isLate) await next()
    const given = Object.entries(context.oidc?.params ?? {}).filter(([, value]) => value !== undefined)
    const parameters = Object.fromEntries(given) as Record<string, string> // what is undefined has been left out
    if (isLate) {
      seen.push({ endpoint, parameters, status: context.status })
      return fault === 'silence' ? new Promise<void>(() => {}) : sleep(fault.laterMs)
    }
    if (fault === 'down') void goDown()
    if (typeof fault === 'string') {
      context.respond = false
      context.req.socket.destroy()
    } else if (fault) {
      context.status = fault.status
      for (const [name, value] of Object.entries(fault.headers ?? {})) context.res.setHeader(name, value)
      context.body = fault.body ?? ''
    }
    seen.push({ endpoint, parameters, status: context.status })
  }

  return {
    middleware,
    /** Lists those of one endpoint; of the token endpoint those with one `grant_type` where it is given. */
    list: (endpoint: Endpoint, grantType?: string): SeenRequest[] =>
      seen.filter(
        (request) =>
          request.endpoint === endpoint && (grantType === undefined || request.parameters.grant_type === grantType),
      ),
    fail: (endpoint: Endpoint, ...next: Fault[]): void => {
      faults.set(endpoint, [...(faults.get(endpoint) ?? []), ...next])
    },
  }
}

function findEndpoint(path: string): Endpoint | undefined {
  const names = Object.keys(endpoints) as Endpoint[] // its own keys
  return names.find((name) => endpoints[name] === path)
}
