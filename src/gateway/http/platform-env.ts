import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { KeptValues } from '../store/kept-values.ts'
import type { State } from '../store/state.ts'
import type { Workspace } from '../store/workspaces.ts'
import type { Fault } from './faults.ts'

/** What is known about a request while it is answered. */
export interface PlatformEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** Why the request was refused, for the gateway's own record. */
    reason: string | undefined
    /** What the specification does not say about the request, for the gateway's own record. */
    note: string | undefined
    fault: Fault | undefined
    /** Set once the request is authenticated. */
    call: AuthenticatedCall
  }
}

/** An authenticated request, with everything that an operation needs. */
export interface AuthenticatedCall {
  readonly state: State
  /** Rendered pages of lists. */
  readonly pages: KeptValues<Uint8Array<ArrayBuffer>>
  readonly request: Context<PlatformEnv>
  /** `undefined` for an administrative key, which acts in no workspace. */
  readonly workspace: Workspace | undefined
  /** A parameter of the path, which the specification writes in braces. */
  readonly parameter: (name: string) => string
}
