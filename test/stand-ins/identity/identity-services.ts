import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'
import { createAwsIdentities } from '../aws/aws-identities.ts'
import { AwsRefusal } from '../aws/aws-operation.ts'
import { authenticate } from '../aws/sts-authentication.ts'
import type { Claims, IdentityProvider } from './identity-provider.ts'

/** Every service that issues identity tokens to a workload. */
const identityServices = ['url', 'github-actions', 'google', 'azure', 'app-service', 'aws'] as const
export type IdentityService = (typeof identityServices)[number]

/** Headers and key that the stand-in requires; each contains the word by which a test finds secrets. */
export const secrets = {
  url: 'canary-of-url',
  'github-actions': 'canary-of-github',
  'app-service': 'canary-of-app-service',
  aws: 'canary/secret+of+aws',
} as const

/** A fault that happens instead of an answer. */
export type Disturbance =
  | 'silence'
  | 'reset'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

export interface ServiceRequest {
  readonly service: IdentityService | 'nobody'
  readonly status: number | 'silence' | 'reset'
  /** The part of a request that differs from the others. */
  readonly asked: Readonly<Record<string, string>>
}

/** The services on loopback. An unknown request gets 501 and is recorded. */
export interface IdentityServices extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ServiceRequest[]
  /** Variables that lead to one service. */
  environment(service: IdentityService): Record<string, string>
  /** For the next requests to a service, one each; `always` for all from now on. */
  disturb(service: IdentityService, disturbance: Disturbance, times?: number | 'always'): void
  /** Claims of every token from now on. */
  claim(claims: Claims): void
}

/** Starts the services, which issue tokens of one provider. */
export async function startIdentityServices(provider: IdentityProvider): Promise<IdentityServices> {
  const requests: ServiceRequest[] = []
  const scripts = new Map<IdentityService, { disturbance: Disturbance; left: number }>()
  let claims: Claims = {}
  const identities = createAwsIdentities()
  const key = identities.addAccessKey({ arn: 'arn:aws:iam::111122223333:user/dev', secretAccessKey: secrets.aws })
  const world = { identities, now: () => new Date() }

  const answer = async (message: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(message)
    const found = findQuestion(request, world)
    const script = found && scripts.get(found.service)
    if (found && script && script.left > 0) {
      script.left -= 1
      const { disturbance } = script
      const status = typeof disturbance === 'string' ? disturbance : disturbance.status
      requests.push({ service: found.service, status, asked: found.asked })
      return disturb(disturbance, message, response)
    }
    const refusal = found?.refusal
    requests.push({
      service: found?.service ?? 'nobody',
      status: found ? (refusal ?? 200) : 501,
      asked: found?.asked ?? {},
    })
    if (!found || refusal !== undefined) return void response.writeHead(refusal ?? 501).end('canary: refused')
    const token = await provider.sign({ ...(found.audience !== undefined && { aud: found.audience }), ...claims })
    return void response.writeHead(200, found.headers).end(found.render(token))
  }
  const server = createServer((message, response) => {
    answer(message, response).catch(() => response.destroy())
  })
  const host = `127.0.0.1:${await listenOnLoopback(server)}`
  const url = `http://${host}`
  return {
    url,
    requests,
    environment: (service) => environments(host, key)[service],
    disturb: (service, disturbance, times = 1) => {
      scripts.set(service, { disturbance, left: times === 'always' ? Number.POSITIVE_INFINITY : times })
    },
    claim: (next) => {
      claims = next
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

function environments(host: string, key: { accessKeyId: string; secretAccessKey: string }) {
  const url = `http://${host}`
  return {
    url: { HEADERS: `Authorization: Bearer ${secrets.url}\nX-Asked-By: test` },
    'github-actions': {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/actions/idtoken/job-7?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: secrets['github-actions'],
    },
    google: { GCE_METADATA_HOST: host },
    azure: { AZURE_POD_IDENTITY_AUTHORITY_HOST: url },
    'app-service': { IDENTITY_ENDPOINT: `${url}/msi/token`, IDENTITY_HEADER: secrets['app-service'] },
    aws: {
      AWS_ENDPOINT_URL_STS: url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
    },
  } satisfies Record<IdentityService, Record<string, string>>
}

type Request = Awaited<ReturnType<typeof readRequest>>

async function readRequest(message: IncomingMessage) {
  const { method = '', url = '/', headers } = message
  return { method, url: new URL(`http://${headers.host}${url}`), headers, body: await text(message) }
}

interface Question {
  readonly service: IdentityService
  readonly audience?: string | undefined
  readonly asked: Readonly<Record<string, string>>
  /** The status for an unauthorized request. */
  readonly refusal?: number | undefined
  readonly headers?: Record<string, string>
  readonly render: (token: string) => string
}

type World = Parameters<typeof authenticate>[1]

/** Each service accepts its own method, path, headers and parameters, and nothing else. */
function findQuestion(request: Request, world: World): Question | undefined {
  const { method, url, headers } = request
  const { searchParams: query } = url
  const asked = Object.fromEntries(query)
  if (method === 'POST' && url.pathname === '/') return readSts(request, world)
  if (method !== 'GET') return undefined
  switch (url.pathname) {
    case '/identity':
      return {
        service: 'url',
        asked: { ...asked, by: String(headers['x-asked-by']) },
        refusal: headers.authorization === `Bearer ${secrets.url}` ? undefined : 401,
        render: (token) => (query.has('json') ? JSON.stringify({ id: { no: 1 }, jwt: token }) : `${token}\n`),
      }
    case '/actions/idtoken/job-7':
      return {
        service: 'github-actions',
        asked,
        audience: query.get('audience') ?? undefined,
        refusal: headers.authorization === `Bearer ${secrets['github-actions']}` ? undefined : 401,
        render: (token) => JSON.stringify({ count: token.length, value: token }),
      }
    case '/computeMetadata/v1/instance/service-accounts/default/identity':
      return {
        service: 'google',
        asked,
        audience: query.get('audience') ?? undefined,
        refusal: headers['metadata-flavor'] === 'Google' ? undefined : 403,
        headers: { 'metadata-flavor': 'Google' },
        render: (token) => token,
      }
    case '/metadata/identity/oauth2/token':
      return {
        service: 'azure',
        asked,
        audience: query.get('resource') ?? undefined,
        refusal: headers.metadata === 'true' && query.get('api-version') === '2018-02-01' ? undefined : 400,
        render: renderAzure,
      }
    case '/msi/token':
      return {
        service: 'app-service',
        asked,
        audience: query.get('resource') ?? undefined,
        refusal: headers['x-identity-header'] === secrets['app-service'] ? undefined : 401,
        render: renderAzure,
      }
    default:
      return undefined
  }
}

function renderAzure(token: string): string {
  return JSON.stringify({ access_token: token, expires_on: '4000000000', token_type: 'Bearer' })
}

/** Reads `GetWebIdentityToken` of AWS STS in its query protocol, with the signature verified. */
function readSts(request: Request, world: World): Question | undefined {
  const { Action, Version, ...asked } = Object.fromEntries(new URLSearchParams(request.body))
  const wanted = { Action: 'GetWebIdentityToken', Version: '2011-06-15' }
  if (!isDeepStrictEqual({ Action, Version }, wanted)) return undefined
  return {
    service: 'aws',
    asked,
    audience: asked['Audience.member.1'],
    refusal: refusalOfSigner(request, world),
    headers: { 'content-type': 'text/xml' },
    render: (token) =>
      `<GetWebIdentityTokenResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetWebIdentityTokenResult><WebIdentityToken>${token}</WebIdentityToken><Expiration>2030-01-01T00:00:00Z</Expiration></GetWebIdentityTokenResult></GetWebIdentityTokenResponse>`,
  }
}

function refusalOfSigner(request: Request, world: World): number | undefined {
  try {
    authenticate(request, world)
    return undefined
  } catch (problem) {
    if (problem instanceof AwsRefusal) return problem.status
    throw problem
  }
}

function disturb(disturbance: Disturbance, { socket }: IncomingMessage, response: ServerResponse): void {
  if (disturbance === 'silence') return
  if (disturbance === 'reset') return void socket.resetAndDestroy()
  response.writeHead(disturbance.status, disturbance.headers).end(disturbance.body)
}
