import type { MiddlewareHandler } from 'hono'
import { apiVersion, isBetaFeature, sessionBeta } from '../../contract/http-api.ts'
import { vendor } from '../../vendor.ts'
import { type Area, areaRules } from './areas.ts'
import type { PlatformEnv } from './platform-env.ts'
import { Refusal } from './refusal.ts'

/** Headers with a single value: which of two would count is undefined. */
const singular = ['authorization', 'x-api-key', vendor.versionHeader, vendor.workspaceHeader, 'content-type']

/** Answers 400 where a header with a single value is sent twice. */
export const refuseRepeatedHeaders: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  // The raw list of names and values, because the parsed headers join repeated ones.
  const names = c.env.incoming.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const twice = singular.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice !== undefined) throw new Refusal(400, `${twice} is sent more than once`)
  await next()
}

/**
 * The credential of a request, from `authorization` or `x-api-key`; both may carry it if they carry the same.
 * @throws {Refusal} 401 without one.
 */
export function readCredential(header: (name: string) => string | undefined): string {
  const [authorization, key] = [header('authorization'), header('x-api-key')]
  const bearer = parseBearer(authorization)
  if (authorization !== undefined && bearer === undefined)
    throw new Refusal(401, 'authorization is not of the form "Bearer <credential>"')
  if (bearer !== undefined && key !== undefined && bearer !== key)
    throw new Refusal(401, 'authorization and x-api-key carry different credentials')
  const credential = bearer ?? key
  if (!credential) throw new Refusal(401, 'there is no credential: send it as "Authorization: Bearer <credential>"')
  return credential
}

/** The token in a header `authorization` of the scheme Bearer (RFC 6750, section 2.1). */
export function parseBearer(authorization: string | undefined): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
}

/** @throws {Refusal} 400 where the version or the beta features are not those that an area requires. */
export function requireProtocol(header: (name: string) => string | undefined, area: Area): void {
  const rules = areaRules[area]
  const version = header(vendor.versionHeader)
  if (version === undefined ? rules.version === 'required' : version !== apiVersion)
    throw new Refusal(400, `${vendor.versionHeader} must be ${apiVersion}`)
  const features = (header(vendor.betaHeader) ?? '').split(',').map((feature) => feature.trim())
  if (features.some((feature) => feature !== '' && !isBetaFeature(feature)))
    throw new Refusal(400, `${vendor.betaHeader} names a feature that does not exist`)
  if (rules.beta === 'sessions' && !features.includes(sessionBeta))
    throw new Refusal(400, `${vendor.betaHeader} must name ${sessionBeta}`)
}
