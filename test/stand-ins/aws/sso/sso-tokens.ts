import { type AwsOperation, AwsRefusal, type AwsWorld, parseJsonParameters } from '../aws-operation.ts'
import { invalid, type SsoClient, type SsoClients } from './sso-clients.ts'
import type { SsoCodes } from './sso-codes.ts'
import type { SsoDevices } from './sso-devices.ts'

/** A person's sign-in to IAM Identity Center. */
export interface SsoSession {
  accessToken: string
  expiresAt: Date
  refreshToken?: string
  clientId: string
  clientSecret: string
  /** After it, refreshing answers `ExpiredTokenException`. Never, if left out. */
  refreshExpiresAt?: Date
  /** The next refresh gives no refresh token any more. */
  isLastRefresh?: boolean
  assignments: readonly { accountId: string; roleName: string }[]
}

/** The tokens that signing in to a portal gives. */
export type SsoPortal = Pick<SsoSession, 'assignments'>

interface TokenServices {
  world: AwsWorld
  sessions: SsoSession[]
  portals: ReadonlyMap<string, SsoPortal>
  clients: SsoClients
  codes: SsoCodes
  devices: SsoDevices
}

/** Eight hours, as IAM Identity Center has unless its administrator says otherwise. */
const accessTokenLifeSec = 28_800

type Grant = (members: Record<string, string>) => Record<string, unknown>

/** Members of each grant, besides those of the client. */
const membersOf: Readonly<Record<string, readonly string[]>> = {
  refresh_token: ['refreshToken'],
  authorization_code: ['code', 'codeVerifier', 'redirectUri'],
  'urn:ietf:params:oauth:grant-type:device_code': ['deviceCode'],
}

/** Creates the one operation that gives tokens, for every grant. */
export function createTokenOperation(services: TokenServices): AwsOperation {
  const { clients, codes, devices } = services
  const grants: Readonly<Record<string, Grant>> = {
    refresh_token: (members) => refresh(members, services),
    authorization_code: (members) => {
      const client = clients.require(members.clientId, members.clientSecret)
      return signIn(codes.redeem(members, client), client, services)
    },
    'urn:ietf:params:oauth:grant-type:device_code': (members) => {
      const client = clients.require(members.clientId, members.clientSecret)
      return signIn(devices.redeem(members, client), client, services)
    },
  }
  return {
    name: 'CreateToken',
    protocol: 'oidc',
    accepts: ({ method, url }) => method === 'POST' && url.pathname === '/token',
    parameters: ({ body }) => parseJsonParameters(body),
    answer: (_, members) => {
      const { clientId, clientSecret, grantType = '', ...own } = members
      const grant = Object.hasOwn(grants, grantType) ? grants[grantType] : undefined
      if (!grant) throw new AwsRefusal('UnsupportedGrantTypeException', 400, 'grantType')
      const names = Object.keys(own).toSorted()
      if (String(names) !== String(membersOf[grantType])) throw invalid(`members ${names}`)
      return grant(members)
    },
  }
}

/** A refresh token comes only with scopes, as in AWS. */
function signIn(startUrl: string, client: SsoClient, { world, sessions, portals }: TokenServices) {
  const number = sessions.length + 1
  const session = {
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    accessToken: `canary-sso-access-${number}`,
    ...(client.scopes.length > 0 && { refreshToken: `canary-sso-refresh-${number}` }),
    expiresAt: new Date(world.now().getTime() + accessTokenLifeSec * 1000),
    assignments: portals.get(startUrl)?.assignments ?? [],
  }
  sessions.push(session)
  return toTokenAnswer(session)
}

/**
 * A refresh token is valid once and is replaced by the one in the answer. Earlier access tokens stay valid until they expire.
 */
function refresh({ clientId, clientSecret, refreshToken }: Record<string, string>, { world, sessions }: TokenServices) {
  const old = sessions.find((session) => refreshToken !== undefined && session.refreshToken === refreshToken)
  if (!old) throw new AwsRefusal('InvalidGrantException', 400, 'Invalid refresh token provided')
  if (old.clientId !== clientId || old.clientSecret !== clientSecret)
    throw new AwsRefusal('InvalidClientException', 401, 'Invalid client provided')
  if (old.refreshExpiresAt && old.refreshExpiresAt <= world.now())
    throw new AwsRefusal('ExpiredTokenException', 400, 'Refresh token has expired')
  const { refreshToken: _used, ...spent } = old
  const fresh = {
    ...spent,
    accessToken: `${old.accessToken}-refreshed`,
    ...(!old.isLastRefresh && { refreshToken: `${refreshToken}-refreshed` }),
    expiresAt: new Date(world.now().getTime() + accessTokenLifeSec * 1000),
  }
  sessions.splice(sessions.indexOf(old), 1, spent, fresh)
  return toTokenAnswer(fresh)
}

function toTokenAnswer({ accessToken, refreshToken }: Pick<SsoSession, 'accessToken' | 'refreshToken'>) {
  return { accessToken, ...(refreshToken && { refreshToken }), expiresIn: accessTokenLifeSec, tokenType: 'Bearer' }
}
