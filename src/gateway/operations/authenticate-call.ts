// Folder: the operations of the API, one file per group, and lists with their pages.

import type { MiddlewareHandler } from 'hono'
import { apiVersion, isBetaFeature, sessionBeta } from '../../contract/http-api.ts'
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
import { quoteNames, type Workspace } from '../store/workspaces.ts'
import { refuseUnknownParameters } from './list-page.ts'
import type { Operation } from './resource-operations.ts'

/**
 * Checks credential, permission, headers, parameters and workspace of a request, in this order, so that a stranger learns only
 * 401. What a credential resolves to is kept until the state changes or the credential expires.
 */
export function createAuthentication({ state, allowedBetas }: AuthenticationParts) {
  const resolve = createResolution(state)
  const pages = createKeptValues<Uint8Array<ArrayBuffer>>(state, maxBytes.pages)
  return ({ area, query }: Operation): MiddlewareHandler<PlatformEnv> =>
    async (c, next) => {
      const header = (name: string) => c.req.header(name)
      const { principal, findWorkspace } = resolve(requireCredential(header))
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
  /** Beta features that are accepted besides those of the specification. */
  readonly allowedBetas: readonly string[]
}

/** How much is kept at most: a page of a thousand resources has 250 KB, a principal two hundred bytes. Our decision. */
const maxBytes = { pages: 4 * 1024 * 1024, credentials: 1024 * 1024 }

/** Finds the owner of a credential and its workspace. It keeps both, and searches the state only for a credential that is new to it. */
function createResolution(state: State) {
  const principals = createKeptValues<AuthenticatedCaller>(state, maxBytes.credentials)
  const workspaces = createKeptValues<Workspace | undefined>(state, maxBytes.credentials)
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

function toDerived(principal: AuthenticatedCaller) {
  return { value: principal, until: principal.until, size: 200 }
}

/** The beta feature that published clients name when they send a federation token. The specification does not list it. */
const tokenBeta = 'oauth-2025-04-20'

/**
 * The version that a request names: any date from the specification's on, because it does not say that others are refused.
 * `undefined` if the area does not require the header.
 * @throws {Refusal} 400
 */
function parseVersion(version: string | undefined, area: Area): string | undefined {
  if (version === apiVersion) return version
  if (version === undefined && areaRules[area].version === 'optional') return undefined
  if (version !== undefined && isDate(version) && version > apiVersion) return version
  throw new Refusal(400, `${vendor.versionHeader} must be ${apiVersion} or a later date`)
}

/** A remark for the gateway's own record on a version that the specification does not name; `undefined` for the version that it names. */
function describeVersion(version: string | undefined): string | undefined {
  if (version === undefined || version === apiVersion) return undefined
  return `${vendor.versionHeader} ${version}: not in the specification`
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // A day that its month does not have would be another date.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The request that names beta features, and the names that are known besides those of the specification. */
interface FeatureScope {
  readonly area: Area
  readonly credential: CredentialClass
  readonly allowedBetas: readonly string[]
}

/** @throws {Refusal} 400 where a beta feature is unknown, or missing in an area that requires it. */
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
