import { type AwsOperation, AwsRefusal, type AwsWorld, parseJson } from './aws-operation.ts'
import { assumeRole, findTrustingRole } from './sts-roles.ts'

/** An OIDC provider registered in the account. */
export interface IdentityProvider {
  issuer: string
  /** Any, if left out. */
  audiences?: readonly string[]
}

interface WebIdentity {
  issuer: string
  subject: string
  audience: string
  expiresAt: Date
}

/**
 * Checks a JWT's form, issuer, audience and expiry, **not its signature**: a helper decides which token it sends, and the
 * stand-in does not fetch the issuer's keys.
 */
export function createWebIdentity(world: AwsWorld): {
  addProvider(provider: IdentityProvider): void
  assumeRole(parameters: Parameters<AwsOperation['answer']>[1]): unknown
} {
  const providers = new Map<string, IdentityProvider>()
  return {
    addProvider: (provider) => void providers.set(provider.issuer, provider),
    assumeRole: ({ WebIdentityToken = '', RoleArn = '', RoleSessionName = '', DurationSeconds = '3600' }) => {
      const { issuer, subject, audience, expiresAt } = parseWebIdentity(WebIdentityToken)
      const provider = providers.get(issuer)
      if (!provider) throw invalidToken(`No OpenIDConnect provider found in your account for ${issuer}`)
      if (provider.audiences && !provider.audiences.includes(audience)) throw invalidToken('Incorrect token audience')
      if (world.now() >= expiresAt) throw expiredToken(world.now(), expiresAt)
      const role = findTrustingRole(world, RoleArn, { kind: 'web-identity', issuer, subject, audience })
      if (!role) throw new AwsRefusal('AccessDenied', 403, 'Not authorized to perform sts:AssumeRoleWithWebIdentity')
      const assumed = assumeRole(world, role, RoleSessionName, Number(DurationSeconds))
      return { ...assumed, SubjectFromWebIdentityToken: subject, Audience: audience, Provider: issuer }
    },
  }
}

function parseWebIdentity(token: string): WebIdentity {
  const [header, payload, signature, ...rest] = token.split('.')
  const claims = parseJson(Buffer.from(payload ?? '', 'base64url').toString())
  const isJwt = header && signature && rest.length === 0 && typeof claims === 'object' && claims !== null
  if (!isJwt)
    throw invalidToken('The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)')
  const { iss, sub, aud, exp } = claims as Record<string, unknown> // an object, just seen
  const audience: unknown = Array.isArray(aud) ? aud[0] : aud
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof audience !== 'string' || typeof exp !== 'number') {
    throw invalidToken('Missing a required claim: iss, sub, aud or exp')
  }
  return { issuer: iss, subject: sub, audience, expiresAt: new Date(exp * 1000) }
}

function invalidToken(message: string): AwsRefusal {
  return new AwsRefusal('InvalidIdentityToken', 400, message)
}

function expiredToken(now: Date, expiresAt: Date): AwsRefusal {
  const [current, end] = [now, expiresAt].map((date) => Math.floor(date.getTime() / 1000))
  const message = `Token expired: current date/time ${current} must be before the expiration date/time ${end}`
  return new AwsRefusal('ExpiredTokenException', 400, message)
}
