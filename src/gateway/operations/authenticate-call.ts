import type { MiddlewareHandler } from 'hono'
import { vendor } from '../../vendor.ts'
import { authenticate, demandReach } from '../credentials/authenticate.ts'
import { selectWorkspace } from '../credentials/select-workspace.ts'
import type { PlatformEnv } from '../http/platform-env.ts'
import { demandProtocol, readCredential } from '../http/request-headers.ts'
import type { State } from '../store/state.ts'
import { demandParameters } from './list-page.ts'
import type { Operation } from './operation.ts'

/** Settles who asks, for what, and in which workspace: in this order, so that a stranger learns nothing but 401. */
export function authenticateCall(state: State, { area, query }: Operation): MiddlewareHandler<PlatformEnv> {
  return async (c, next) => {
    const header = (name: string) => c.req.header(name)
    const principal = authenticate(state, readCredential(header))
    demandReach(principal, area)
    demandProtocol(header, area)
    demandParameters(c.req.queries(), query)
    const workspace = selectWorkspace(state, principal, header(vendor.workspaceHeader))
    if (workspace?.isDefault) c.header(vendor.workspaceHeader, workspace.id)
    c.set('call', { state, request: c, workspace, parameter: (name) => c.req.param(name) ?? '' })
    await next()
  }
}
