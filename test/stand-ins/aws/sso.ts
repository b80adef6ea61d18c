import { renderSessionArn } from './aws-identities.ts'
import { type AwsOperation, AwsRefusal, type AwsWorld, parseJsonParameters } from './aws-operation.ts'

/** A person's sign-in to IAM Identity Center. */
export interface SsoSession {
  accessToken: string
  expiresAt: Date
  refreshToken?: string
  clientId: string
  clientSecret: string
  /** After it, refreshing answers `ExpiredTokenException`. Never, if left out. */
  refreshExpiresAt?: Date
  assignments: readonly { accountId: string; roleName: string }[]
}

/** What `aws sso login` leaves in `~/.aws/sso/cache`. */
export interface SsoCacheEntry {
  accessToken: string
  expiresAt: string
  clientId: string
  clientSecret: string
  refreshToken?: string
}

/** The portal, which exchanges an access token for a role's credentials, and the OIDC service, which refreshes it. */
export function createSso(world: AwsWorld): {
  operations: AwsOperation[]
  addSession(session: SsoSession): SsoCacheEntry
} {
  const sessions: SsoSession[] = []
  return {
    addSession: (session) => {
      sessions.push(session)
      return renderCacheEntry(session)
    },
    operations: [getRoleCredentials(world, sessions), createToken(world, sessions)],
  }
}

/** An hour, as a permission set has unless its administrator says otherwise. */
const roleLifeSec = 3600

/** Eight hours, likewise. */
const accessTokenLifeSec = 28_800

function getRoleCredentials(world: AwsWorld, sessions: readonly SsoSession[]): AwsOperation {
  return {
    name: 'GetRoleCredentials',
    protocol: 'portal',
    accepts: ({ method, url }) => method === 'GET' && url.pathname === '/federation/credentials',
    parameters: ({ url }) => Object.fromEntries(url.searchParams),
    answer: ({ headers }, { account_id: accountId = '', role_name: roleName = '' }) => {
      const session = sessions.find(({ accessToken }) => accessToken === headers['x-amz-sso_bearer_token'])
      if (!session || session.expiresAt <= world.now()) {
        throw new AwsRefusal('UnauthorizedException', 401, 'Session token not found or invalid')
      }
      if (!session.assignments.some((role) => role.accountId === accountId && role.roleName === roleName)) {
        throw new AwsRefusal('ForbiddenException', 403, 'No access')
      }
      const role = `arn:aws:iam::${accountId}:role/AWSReservedSSO_${roleName}_0123456789abcdef`
      const expiration = new Date(world.now().getTime() + roleLifeSec * 1000)
      const key = world.identities.issueKey(renderSessionArn(role, 'stand-in'), expiration)
      const { accessKeyId, secretAccessKey, sessionToken } = key
      return { roleCredentials: { accessKeyId, secretAccessKey, sessionToken, expiration: expiration.getTime() } }
    },
  }
}

/**
 * A refresh token is valid once and is replaced by the one in the answer. Earlier access tokens stay valid until they expire.
 */
function createToken(world: AwsWorld, sessions: SsoSession[]): AwsOperation {
  return {
    name: 'CreateToken',
    protocol: 'oidc',
    accepts: ({ method, url, body }) =>
      method === 'POST' && url.pathname === '/token' && parseJsonParameters(body).grantType === 'refresh_token',
    parameters: ({ body }) => parseJsonParameters(body),
    answer: (_, { clientId, clientSecret, refreshToken }) => {
      const old = sessions.find((session) => refreshToken !== undefined && session.refreshToken === refreshToken)
      if (!old) throw new AwsRefusal('InvalidGrantException', 400, 'Invalid refresh token provided')
      if (old.clientId !== clientId || old.clientSecret !== clientSecret) {
        throw new AwsRefusal('InvalidClientException', 401, 'Invalid client provided')
      }
      if (old.refreshExpiresAt && old.refreshExpiresAt <= world.now()) {
        throw new AwsRefusal('ExpiredTokenException', 400, 'Refresh token has expired')
      }
      const fresh = {
        accessToken: `${old.accessToken}-refreshed`,
        refreshToken: `${refreshToken}-refreshed`,
        expiresAt: new Date(world.now().getTime() + accessTokenLifeSec * 1000),
      }
      const { refreshToken: _used, ...spent } = old
      sessions.splice(sessions.indexOf(old), 1, spent, { ...old, ...fresh })
      const { accessToken, refreshToken: next } = fresh
      return { accessToken, refreshToken: next, expiresIn: accessTokenLifeSec, tokenType: 'Bearer' }
    },
  }
}

function renderCacheEntry({ accessToken, expiresAt, clientId, clientSecret, refreshToken }: SsoSession): SsoCacheEntry {
  const entry = { accessToken, expiresAt: expiresAt.toISOString(), clientId, clientSecret }
  return refreshToken === undefined ? entry : { ...entry, refreshToken }
}
