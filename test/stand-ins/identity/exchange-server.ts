import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTVerifyGetKey } from 'jose'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'
import { answerGrant, type ExchangeRules, Refused } from './exchange-rules.ts'

/** A request for a token as it came. */
interface SeenGrant {
  readonly body: string
  readonly authorization: string | undefined
}

/** An answer in place of the server's own. */
interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it is, or JSON. */
  readonly body: unknown
}

/** An authorization server on loopback that exchanges tokens, and refuses what the RFCs forbid. */
export interface ExchangeServer extends AsyncDisposable {
  readonly issuer: string
  readonly tokenUrl: string
  readonly grants: readonly SeenGrant[]
  /** The paths of the requests for metadata. */
  readonly lookups: readonly string[]
  /** The keys that verify its tokens. */
  readonly keys: JWTVerifyGetKey
  /** Sets the answers to the next requests to the token endpoint, one each. */
  answer(...answers: ScriptedAnswer[]): void
  /** Trusts the tokens of this issuer from now on, which could not be known before. */
  trust(issuer: string): void
  /** Members that its metadata has in place of its own. */
  describe(metadata: object): void
}

type GivenRules = Partial<Omit<ExchangeRules, 'signingKey' | 'trusted'>> & Pick<ExchangeRules, 'trusted'>

export async function startExchangeServer(given: GivenRules): Promise<ExchangeServer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'exchange' }] })
  const seen = { grants: [] as SeenGrant[], lookups: [] as string[] }
  let script: ScriptedAnswer[] = []
  let metadata: object = {}
  const used = new Set<string>()
  const server = createServer()
  const origin = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const issuer = given.issuer ?? `${origin}/tenant`
  const tokenUrl = `${origin}/token`
  const defaults = { issuer, clients: {}, targets: [], scopes: [], lifeSec: 3600 }
  let rules: ExchangeRules = { ...defaults, ...given, signingKey: privateKey }
  server.on('request', async (message, response) => {
    if (message.method === 'GET') {
      seen.lookups.push(message.url ?? '')
      const isMetadata = message.url === '/.well-known/oauth-authorization-server/tenant'
      return send(response, isMetadata ? 200 : 404, isMetadata ? { issuer, token_endpoint: tokenUrl, ...metadata } : {})
    }
    const body = await text(message)
    seen.grants.push({ body, authorization: message.headers.authorization })
    const next = script.shift()
    if (next) return send(response, next.status ?? 200, next.body, next.headers)
    await answerForm(message, body, response, { rules, used })
  })
  return {
    issuer,
    tokenUrl,
    keys,
    ...seen,
    answer: (...answers) => {
      script = answers
    },
    trust: (trusted) => {
      rules = { ...rules, trusted: { ...rules.trusted, issuer: trusted } }
    },
    describe: (own) => {
      metadata = own
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

async function answerForm(
  { url, method, headers }: IncomingMessage,
  body: string,
  response: ServerResponse,
  parts: { rules: ExchangeRules; used: Set<string> },
): Promise<void> {
  if (url !== '/token' || method !== 'POST') return send(response, 404, {})
  if (headers['content-type'] !== 'application/x-www-form-urlencoded')
    return send(response, 400, { error: 'invalid_request', error_description: 'the body is no form' })
  try {
    send(response, 200, await answerGrant(new URLSearchParams(body), headers.authorization, parts))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const status = error.code === 'invalid_client' && headers.authorization ? 401 : 400
    send(response, status, { error: error.code, error_description: error.message })
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
