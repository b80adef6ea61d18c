import { type AwsOperation, AwsRefusal, type AwsWorld, parseJson, parseJsonParameters } from '../aws-operation.ts'

/** A registered client. */
export interface SsoClient {
  clientId: string
  clientSecret: string
  expiresAt: Date
  scopes: readonly string[]
  grantTypes: readonly string[]
  /** The portal for which it may ask for codes. */
  issuerUrl?: string
}

export interface SsoClients {
  operation: AwsOperation
  /** @throws {AwsRefusal} for one that is not registered, or not any more. */
  require(clientId: unknown, clientSecret: unknown): SsoClient
  /** The client of a page, which has no secret. */
  find(clientId: string): SsoClient | undefined
  add(client: Partial<SsoClient>): SsoClient
}

const lifeMs = 90 * 24 * 3_600_000

/** Registers public clients as the AWS CLI does, and refuses every other request. */
export function createSsoClients(world: AwsWorld, isPortal: (startUrl: string) => boolean): SsoClients {
  const clients = new Map<string, SsoClient>()
  let registered = 0
  const add = (given: Partial<SsoClient>): SsoClient => {
    registered += 1
    const client = {
      clientId: `client-${registered}`,
      clientSecret: `canary-client-secret-${registered}`,
      expiresAt: new Date(world.now().getTime() + lifeMs),
      scopes: [],
      grantTypes: [],
      ...given,
    }
    clients.set(client.clientId, client)
    return client
  }
  return {
    add,
    find: (clientId) => clients.get(clientId),
    require: (clientId, clientSecret) => {
      const client = clients.get(String(clientId))
      if (client && client.clientSecret === clientSecret && client.expiresAt > world.now()) return client
      throw new AwsRefusal('InvalidClientException', 401, 'Invalid client provided')
    },
    operation: {
      name: 'RegisterClient',
      protocol: 'oidc',
      accepts: ({ method, url }) => method === 'POST' && url.pathname === '/client/register',
      parameters: ({ body }) => parseJsonParameters(body),
      answer: ({ body }) => {
        const { clientId, clientSecret, expiresAt } = add(parseRegistration(parseJson(body), isPortal))
        return {
          clientId,
          clientSecret,
          clientIdIssuedAt: Math.floor(world.now().getTime() / 1000),
          clientSecretExpiresAt: Math.floor(expiresAt.getTime() / 1000),
        }
      },
    },
  }
}

/** Parses the form of each member. For device authorization there are only names and scopes. */
function parseRegistration(body: unknown, isPortal: (startUrl: string) => boolean): Partial<SsoClient> {
  const { clientName, clientType, scopes, grantTypes, redirectUris, issuerUrl, ...unknown } = Object(body)
  if (Object.keys(unknown).length > 0) throw invalid(`unknown member ${Object.keys(unknown)}`)
  if (typeof clientName !== 'string' || !/^botocore-client-./.test(clientName)) throw invalid('clientName')
  if (clientType !== 'public') throw new AwsRefusal('InvalidClientMetadataException', 400, 'clientType')
  if (scopes !== undefined && !isList(scopes)) throw new AwsRefusal('InvalidScopeException', 400, 'scopes')
  if (grantTypes === undefined && redirectUris === undefined && issuerUrl === undefined) return scopes ? { scopes } : {}
  if (String(grantTypes) !== 'authorization_code,refresh_token') throw invalid('grantTypes')
  if (String(redirectUris) !== 'http://127.0.0.1/oauth/callback')
    throw new AwsRefusal('InvalidRedirectUriException', 400, 'redirectUris')
  if (!isPortal(issuerUrl)) throw invalid('issuerUrl')
  if (scopes === undefined) throw new AwsRefusal('InvalidScopeException', 400, 'scopes')
  return { scopes, grantTypes, issuerUrl }
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

export function invalid(message: string): AwsRefusal {
  return new AwsRefusal('InvalidRequestException', 400, message)
}
