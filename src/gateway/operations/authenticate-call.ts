import type { MiddlewareHandler } from 'hono'
import { vendor } from '../../vendor.ts'
import { authenticate, requirePermission } from '../credentials/authenticate.ts'
import { selectWorkspace } from '../credentials/select-workspace.ts'
import type { PlatformEnv } from '../http/platform-env.ts'
import { readCredential } from '../http/request-headers.ts'
import type { State } from '../store/state.ts'
import { refuseUnknownParameters } from './list-page.ts'
import type { Operation } from './operation.ts'
import { describeVersion, requireFeatures, requireVersion } from './protocol.ts'

/** What an operation needs besides the request. */
interface CallParts {
  readonly state: State
  /** Beta features that are accepted besides those of the specification. */
  readonly allowedBetas: readonly string[]
}

/**
 * Checks credential, permission, headers, parameters and workspace of a request, in this order, so that a stranger learns only
 * 401.
 */
export function authenticateCall(
  { state, allowedBetas }: CallParts,
  { area, query }: Operation,
): MiddlewareHandler<PlatformEnv> {
  return async (c, next) => {
    const header = (name: string) => c.req.header(name)
    const principal = authenticate(state, readCredential(header))
    requirePermission(principal, area)
    c.set('note', describeVersion(requireVersion(header(vendor.versionHeader), area)))
    requireFeatures(header(vendor.betaHeader), { area, credential: principal.class, allowedBetas })
    refuseUnknownParameters(c.req.queries(), query)
    const workspace = selectWorkspace(state, principal, header(vendor.workspaceHeader))
    if (workspace?.isDefault) c.header(vendor.workspaceHeader, workspace.id)
    c.set('call', { state, request: c, workspace, parameter: (name) => c.req.param(name) ?? '' })
    await next()
  }
}
