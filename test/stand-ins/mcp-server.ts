import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { locateInstalled } from '../../pkg-scripts/clients/real-clients.ts'
import {
  createIssuerKeys,
  createMemoryReplayStore,
  createStreamFetch,
  createVerifier,
  parsePolicy,
  toAnswer,
  toNetworkSettings,
  verifyRequest,
} from '../../src/library/verify.ts'
import { closeServer, listenOnLoopback } from '../setup/loopback.ts'

/** An MCP server of the SDK's that lets nobody in without a token of this issuer for its own address. */
interface McpServer extends AsyncDisposable {
  readonly url: string
  /** The challenges of those who were refused. */
  readonly challenges: readonly string[]
}

/** The parts of the SDK that it needs; their package is no dependency of the project. */
interface Sdk {
  readonly McpServer: new (about: {
    name: string
    version: string
  }) => {
    registerTool(name: string, about: object, run: () => object): void
    connect(transport: object): Promise<void>
  }
  readonly StreamableHTTPServerTransport: new (
    settings: object,
  ) => { handleRequest(request: object, response: object): Promise<void> }
}

/** RFC 9728, section 3.1. */
const metadataPath = '/.well-known/oauth-protected-resource/mcp'

const json = { 'content-type': 'application/json' }

const folder = '@modelcontextprotocol/sdk/dist/esm/server'

/** Starts it on loopback. Its one tool, `whoami`, says who the verifier takes the caller for. */
export async function startMcpServer(issuer: string): Promise<McpServer> {
  const { McpServer: Server }: Sdk = await import(locateInstalled(`${folder}/mcp.js`))
  const { StreamableHTTPServerTransport: Transport }: Sdk = await import(locateInstalled(`${folder}/streamableHttp.js`))
  const challenges: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const verdict = await verifyRequest(verifier, request.rawHeaders)
    if (verdict.outcome === 'refused') {
      const { status, headers, body } = toAnswer(verdict, 'req_1')
      // RFC 9728, section 5.1.
      const metadata = `resource_metadata="${new URL(metadataPath, url)}"`
      const challenge = `${headers[headers.indexOf('www-authenticate') + 1]}, ${metadata}`
      challenges.push(challenge)
      response.writeHead(status, { 'www-authenticate': challenge, ...json }).end(body)
      return
    }
    // One of each for every request, as the SDK has it for servers without sessions.
    const own = new Server({ name: 'made-up', version: '1.0.0' })
    const text = `you are ${verdict.headers['x-user']}`
    // Codex asks nobody whether it may call a tool that changes nothing.
    const about = { description: 'Says who asks.', annotations: { readOnlyHint: true } }
    own.registerTool('whoami', about, () => ({ content: [{ type: 'text', text }] }))
    const transport = new Transport({ sessionIdGenerator: undefined })
    await own.connect(transport)
    await transport.handleRequest(request, response)
  }
  const server = createServer((request, response) => {
    const metadata = { resource: url, authorization_servers: [issuer], bearer_methods_supported: ['header'] }
    if (request.url === '/mcp') void answer(request, response)
    else if (request.url === metadataPath) response.writeHead(200, json).end(JSON.stringify(metadata))
    else response.writeHead(404).end()
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/mcp`
  const verifier = createVerifierFor(issuer, url)
  return {
    url,
    challenges,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

function createVerifierFor(issuer: string, audience: string) {
  const rules = [{ name: 'people', issuer, claims: { groups: ['ai-*'] }, headers: { 'x-user': '{sub}' } }]
  const file = { issuers: [{ issuer, audiences: [audience] }], rules }
  const { policy, findings } = parsePolicy(Buffer.from(JSON.stringify(file)))
  if (!policy) throw new Error(findings.map(({ path, message }) => `${path}: ${message}`).join('\n'))
  const now = Date.now
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
  const fetch = createStreamFetch({ network, silenceSec: 10 })
  const keys = createIssuerKeys({ fetch, now })
  return createVerifier({ policy: () => policy, keys, fetch, replay: createMemoryReplayStore({ now }), now })
}
