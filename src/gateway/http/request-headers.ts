import type { MiddlewareHandler } from 'hono'
import { vendor } from '../../vendor.ts'
import type { PlatformEnv } from './platform-env.ts'
import { Refusal } from './refusal.ts'

/** Headers with a single value: which of two would count is undefined. */
const singular = ['authorization', 'x-api-key', vendor.versionHeader, vendor.workspaceHeader, 'content-type']

/** Answers 400 where a header with a single value is sent twice. */
export const refuseRepeatedHeaders: MiddlewareHandler<PlatformEnv> = async (c, next) => {
  // The raw list of names and values, because the parsed headers join repeated ones.
  const names = c.env.incoming.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const isUnique = new Set(names).size === names.length
  const twice = isUnique ? undefined : singular.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
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
