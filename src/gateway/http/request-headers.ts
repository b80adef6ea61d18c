import type { MiddlewareHandler } from 'hono'
import { apiVersion, isBetaFeature, sessionBeta } from '../../contract/http-api.ts'
import { vendor } from '../../vendor.ts'
import { type Area, areaRules } from './areas.ts'
import type { PlatformEnv } from './platform-env.ts'
import { Refusal } from './refusal.ts'

/** Headers that mean one thing; which of two values counts would be a guess. */
const singular = ['authorization', 'x-api-key', vendor.versionHeader, vendor.workspaceHeader, 'content-type']

/** Answers 400 where a header that means one thing is there twice. */
export const refuseRepeatedHeaders: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  // As they arrived, names and values in turn: a joined value would hide it.
  const names = c.env.incoming.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const twice = singular.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice !== undefined) throw new Refusal(400, `${twice} is there more than once`)
  await next()
}

/**
 * The credential of a request, from either header; from both only if it is the same.
 * @throws {Refusal} 401 without one.
 */
export function readCredential(header: (name: string) => string | undefined): string {
  const [authorization, key] = [header('authorization'), header('x-api-key')]
  const bearer = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
  if (authorization !== undefined && bearer === undefined)
    throw new Refusal(401, 'authorization is not of the form "Bearer <credential>"')
  if (bearer !== undefined && key !== undefined && bearer !== key)
    throw new Refusal(401, 'authorization and x-api-key carry different credentials')
  const credential = bearer ?? key
  if (!credential) throw new Refusal(401, 'there is no credential: send it as "Authorization: Bearer <credential>"')
  return credential
}

/** @throws {Refusal} 400 where version or beta features are not what this part of the API requires. */
export function demandProtocol(header: (name: string) => string | undefined, area: Area): void {
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
