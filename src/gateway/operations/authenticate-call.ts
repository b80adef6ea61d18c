// Folder: the operations of the API, one file per group, and lists with their pages.

import type { MiddlewareHandler } from 'hono'
import { apiVersion, isBetaFeature, sessionBeta } from '../../contract/http-api.ts'
import { quoteNames } from '../../runtime/text/quote.ts'
import { vendor } from '../../vendor.ts'
import {
  type AuthenticatedCaller,
  authenticate,
  type CredentialClass,
  refuseOtherArea,
  selectWorkspace,
} from '../credentials/authenticate.ts'
import { type Area, areaRules, type PlatformEnv, Refusal, requireCredential } from '../http/requests.ts'
import { digestSecret } from '../store/identifiers.ts'
import { createKeptValues } from '../store/kept-values.ts'
import type { State } from '../store/state.ts'
import type { Workspace } from '../store/workspaces.ts'
import { refuseUnknownParameters } from './list-page.ts'
import type { Operation } from './session-operations.ts'

/**
 * Checks the credential, permission, headers, parameters and workspace of a request, in this order, so that an unknown caller learns only
 * 401. The owner of a credential is cached until the state changes or the credential expires.
 */
export function createAuthentication({ state, allowedBetas }: AuthenticationParts) {
  const authenticateKept = createKeptAuthentication(state)
  const pages = createKeptValues<Uint8Array<ArrayBuffer>>(state, maxBytes.pages)
  return ({ area, query }: Operation): MiddlewareHandler<PlatformEnv> =>
    async (c, next) => {
      const header = (name: string) => c.req.header(name)
      const { principal, findWorkspace } = authenticateKept(requireCredential(header))
      refuseOtherArea(principal, area)
      c.set('note', describeVersion(parseVersion(header(vendor.versionHeader), area)))
      refuseWrongFeatures(header(vendor.betaHeader), { area, credential: principal.class, allowedBetas })
      refuseUnknownParameters(c.req.queries(), query)
      const workspace = findWorkspace(header(vendor.workspaceHeader))
      if (workspace?.isDefault) c.header(vendor.workspaceHeader, workspace.id)
      c.set('call', { state, pages, request: c, workspace, parameter: (name) => c.req.param(name) ?? '' })
      await next()
    }
}

/** The state that authentication needs besides the request. */
interface AuthenticationParts {
  readonly state: State
  readonly allowedBetas: readonly string[]
}

/** The sizes of the caches: a page of a thousand resources has 250 KB, a principal two hundred bytes. Our decision. */
const maxBytes = { pages: 4 * 1024 * 1024, credentials: 1024 * 1024 }

/** Authenticates credentials and selects their workspaces, and keeps both: only a credential that is not kept is looked up in the state. */
function createKeptAuthentication(state: State) {
  const principals = createKeptValues<AuthenticatedCaller>(state, maxBytes.credentials)
  const workspaces = createKeptValues<Workspace | undefined>(state, maxBytes.credentials)
  return (credential: string) => {
    // The digest is the key, so that no credential stays in memory.
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

function toDerived(principal: AuthenticatedCaller) {
  return { value: principal, until: principal.until, size: 200 }
}

/** The beta feature that published clients name with a federation token. The specification does not list it. */
const tokenBeta = 'oauth-2025-04-20'

/**
 * Parses the version that a request names. Any date from the specification's own on is accepted, because the specification does not say
 * that later ones are refused. `undefined` if the area does not require the header.
 * @throws {Refusal} 400
 */
function parseVersion(version: string | undefined, area: Area): string | undefined {
  if (version === apiVersion) return version
  if (version === undefined && areaRules[area].version === 'optional') return undefined
  if (version !== undefined && isDate(version) && version > apiVersion) return version
  throw new Refusal(400, `${vendor.versionHeader} must be ${apiVersion} or a later date`)
}

/** Describes a version that the specification does not name, for the gateway's own record; `undefined` for its own version. */
function describeVersion(version: string | undefined): string | undefined {
  if (version === undefined || version === apiVersion) return undefined
  return `${vendor.versionHeader} ${version}: not in the specification`
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // `Date` would turn a day that the month does not have into another date.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The request that names beta features, and the accepted names besides those of the specification. */
interface FeatureScope {
  readonly area: Area
  readonly credential: CredentialClass
  readonly allowedBetas: readonly string[]
}

/** @throws {Refusal} 400 for an unknown beta feature, or a missing one in an area that requires it. */
function refuseWrongFeatures(header: string | undefined, { area, credential, allowedBetas }: FeatureScope): void {
  const features = parseFeatures(header)
  const isToken = credential === 'federation token'
  const isKnown = (name: string) =>
    isBetaFeature(name) || allowedBetas.includes(name) || (name === tokenBeta && isToken)
  const unknown = features.filter((name) => !isKnown(name))
  if (unknown.includes(tokenBeta))
    throw new Refusal(400, `${vendor.betaHeader}: ${tokenBeta} goes with a federation token only`)
  if (unknown.length > 0)
    throw new Refusal(400, `${vendor.betaHeader} names a feature that does not exist: ${quoteNames(unknown)}`)
  if (areaRules[area].beta === 'sessions' && !features.includes(sessionBeta))
    throw new Refusal(400, `${vendor.betaHeader} must name ${sessionBeta}`)
}

function parseFeatures(header = ''): string[] {
  return header
    .split(',')
    .map((feature) => feature.trim())
    .filter(Boolean)
}
