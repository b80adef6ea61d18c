import type { MiddlewareHandler } from 'hono'
import { vendor } from '../../vendor.ts'
import { authenticate, type Principal, requirePermission } from '../credentials/authenticate.ts'
import { selectWorkspace } from '../credentials/select-workspace.ts'
import type { PlatformEnv } from '../http/platform-env.ts'
import { readCredential } from '../http/request-headers.ts'
import { createKeptValues } from '../store/kept-values.ts'
import { digestSecret } from '../store/secrets.ts'
import type { State } from '../store/state.ts'
import type { Workspace } from '../store/workspaces.ts'
import { refuseUnknownParameters } from './list-page.ts'
import type { Operation } from './operation.ts'
import { describeVersion, requireFeatures, requireVersion } from './protocol.ts'

/** What the operations need besides the request. */
interface CallParts {
  readonly state: State
  /** Beta features that are accepted besides those of the specification. */
  readonly allowedBetas: readonly string[]
}

/**
 * Checks credential, permission, headers, parameters and workspace of a request, in this order, so that a stranger learns only
 * 401. What a credential resolves to is kept until the state changes or the credential expires.
 */
export function createAuthentication({ state, allowedBetas }: CallParts) {
  const resolve = createResolution(state)
  const pages = createKeptValues<Uint8Array<ArrayBuffer>>(state, mostBytes.pages)
  return ({ area, query }: Operation): MiddlewareHandler<PlatformEnv> =>
    async (c, next) => {
      const header = (name: string) => c.req.header(name)
      const { principal, findWorkspace } = resolve(readCredential(header))
      requirePermission(principal, area)
      c.set('note', describeVersion(requireVersion(header(vendor.versionHeader), area)))
      requireFeatures(header(vendor.betaHeader), { area, credential: principal.class, allowedBetas })
      refuseUnknownParameters(c.req.queries(), query)
      const workspace = findWorkspace(header(vendor.workspaceHeader))
      if (workspace?.isDefault) c.header(vendor.workspaceHeader, workspace.id)
      c.set('call', { state, pages, request: c, workspace, parameter: (name) => c.req.param(name) ?? '' })
      await next()
    }
}

/** How much is kept at most: a page of a thousand resources has 250 KB, a principal two hundred bytes. Our decision. */
const mostBytes = { pages: 4 * 1024 * 1024, credentials: 1024 * 1024 }

/** Finds whom a credential belongs to, and its workspace, in the state only where it is not kept. */
function createResolution(state: State) {
  const principals = createKeptValues<Principal>(state, mostBytes.credentials)
  const workspaces = createKeptValues<Workspace | undefined>(state, mostBytes.credentials)
  return (credential: string) => {
    // Its digest, so that no credential stays in memory.
    const digest = digestSecret(credential)
    const principal = principals(digest, () => toDerived(authenticate(state, credential)))
    const findWorkspace = (named: string | undefined) =>
      workspaces(JSON.stringify([digest, named]), () => ({
        ...toDerived(principal),
        value: selectWorkspace(state, principal, named),
      }))
    return { principal, findWorkspace }
  }
}

function toDerived(principal: Principal) {
  return { value: principal, until: principal.until, size: 200 }
}
