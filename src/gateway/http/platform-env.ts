import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { State } from '../store/state.ts'
import type { Workspace } from '../store/workspaces.ts'
import type { Fault } from './faults.ts'

/** What is known about a request while it is answered. */
export interface PlatformEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** For the gateway's own record: why a request was refused. */
    reason: string | undefined
    fault: Fault | undefined
    /** Set once somebody has been admitted. */
    call: Call
  }
}

/** A request that has passed authentication, with all that an operation needs. */
export interface Call {
  readonly state: State
  readonly request: Context<PlatformEnv>
  /** `undefined` for an administrative key, which acts in none. */
  readonly workspace: Workspace | undefined
  /** A part of the path that is in braces in the documents. */
  readonly parameter: (name: string) => string
}
