import type { MiddlewareHandler } from 'hono'
import { vendor } from '../../vendor.ts'
import { authenticate, requirePermission } from '../credentials/authenticate.ts'
import { selectWorkspace } from '../credentials/select-workspace.ts'
import type { PlatformEnv } from '../http/platform-env.ts'
import { readCredential, requireProtocol } from '../http/request-headers.ts'
import type { State } from '../store/state.ts'
import { refuseUnknownParameters } from './list-page.ts'
import type { Operation } from './operation.ts'

/**
 * Checks credential, permission, headers, parameters and workspace of a request, in this order, so that a stranger learns only
 * 401.
 */
export function authenticateCall(state: State, { area, query }: Operation): MiddlewareHandler<PlatformEnv> {
  return async (c, next) => {
    const header = (name: string) => c.req.header(name)
    const principal = authenticate(state, readCredential(header))
    requirePermission(principal, area)
    requireProtocol(header, area)
    refuseUnknownParameters(c.req.queries(), query)
    const workspace = selectWorkspace(state, principal, header(vendor.workspaceHeader))
    if (workspace?.isDefault) c.header(vendor.workspaceHeader, workspace.id)
    c.set('call', { state, request: c, workspace, parameter: (name) => c.req.param(name) ?? '' })
    await next()
  }
}
