import { apiVersion, isBetaFeature, sessionBeta } from '../../contract/http-api.ts'
import { vendor } from '../../vendor.ts'
import type { CredentialClass } from '../credentials/authenticate.ts'
import { type Area, areaRules } from '../http/areas.ts'
import { Refusal } from '../http/refusal.ts'
import { quoteNames } from '../store/quote-names.ts'

/** The beta feature that published clients name when they send a federation token. The specification does not list it. */
export const tokenBeta = 'oauth-2025-04-20'

/**
 * The version that a request names: any date from the specification's on, because it does not say that others are refused.
 * `undefined` where an area lets it out.
 * @throws {Refusal} 400
 */
export function requireVersion(version: string | undefined, area: Area): string | undefined {
  if (version === apiVersion) return version
  if (version === undefined && areaRules[area].version === 'optional') return undefined
  if (version !== undefined && isDate(version) && version > apiVersion) return version
  throw new Refusal(400, `${vendor.versionHeader} must be ${apiVersion} or a later date`)
}

/** What the specification does not say about a version, for the gateway's own record; `undefined` for the one that it names. */
export function describeVersion(version: string | undefined): string | undefined {
  if (version === undefined || version === apiVersion) return undefined
  return `${vendor.versionHeader} ${version}: not in the specification`
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // A day that its month does not have would be another date.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Whose request names beta features, and which names are known besides those of the specification. */
interface FeatureScope {
  readonly area: Area
  readonly credential: CredentialClass
  readonly allowedBetas: readonly string[]
}

/** @throws {Refusal} 400 where a beta feature is unknown, or missing in an area that requires it. */
export function requireFeatures(header: string | undefined, { area, credential, allowedBetas }: FeatureScope): void {
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
