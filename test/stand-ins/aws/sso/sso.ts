import { renderSessionArn } from '../aws-identities.ts'
import { type AwsOperation, AwsRefusal, type AwsWorld } from '../aws-operation.ts'
import type { PersonPages } from '../pages/person-pages.ts'
import { createSsoClients, type SsoClient } from './sso-clients.ts'
import { createSsoCodes } from './sso-codes.ts'
import { createSsoDevices } from './sso-devices.ts'
import { createTokenOperation, type SsoPortal, type SsoSession } from './sso-tokens.ts'

/** What `aws sso login` leaves in `~/.aws/sso/cache`. */
export interface SsoCacheEntry {
  accessToken: string
  expiresAt: string
  clientId: string
  clientSecret: string
  refreshToken?: string
}

export interface Sso {
  operations: AwsOperation[]
  addSession(session: SsoSession): SsoCacheEntry
  /** A portal at which a person may sign in, by its own address (not by one of the organization's). */
  addPortal(startUrl: string, portal: SsoPortal): void
  addClient(client: Partial<SsoClient>): SsoClient
  allowDevices(): void
  setPollInterval(sec: number): void
}

/**
 * Creates IAM Identity Center: the OIDC service with its pages, and the portal, which exchanges an access token for a role's credentials.
 */
export function createSso(world: AwsWorld, origin: string, pages: PersonPages): Sso {
  const sessions: SsoSession[] = []
  const portals = new Map<string, SsoPortal>()
  let intervalSec = 1
  const isPortal = (startUrl: string) => portals.has(startUrl)
  const clients = createSsoClients(world, isPortal)
  const codes = createSsoCodes(world, clients, pages)
  const devices = createSsoDevices({ world, origin, clients, pages, isPortal, interval: () => intervalSec })
  return {
    addSession: (session) => {
      sessions.push(session)
      return toCacheEntry(session)
    },
    addPortal: (startUrl, portal) => void portals.set(startUrl, portal),
    addClient: clients.add,
    allowDevices: devices.allowAtOnce,
    setPollInterval: (sec) => {
      intervalSec = sec
    },
    operations: [
      getRoleCredentials(world, sessions),
      createTokenOperation({ world, sessions, portals, clients, codes, devices }),
      clients.operation,
      codes.page,
      ...devices.operations,
    ],
  }
}

/** An hour, as a permission set has unless its administrator says otherwise. */
const roleLifeSec = 3600

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

function toCacheEntry({ accessToken, expiresAt, clientId, clientSecret, refreshToken }: SsoSession): SsoCacheEntry {
  const entry = { accessToken, expiresAt: expiresAt.toISOString(), clientId, clientSecret }
  return refreshToken === undefined ? entry : { ...entry, refreshToken }
}
