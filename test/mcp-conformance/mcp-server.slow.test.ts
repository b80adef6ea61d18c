import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { findRecipeTerms } from '../../src/verify/policy/recipe-terms.ts'
import { startNginx } from '../gateways/nginx/start-nginx.ts'
import { runWithGateway } from '../gateways/run-with-gateway.ts'
import { withVerifier } from '../gateways/verified-gateways.ts'
import { closeServer, listenOnLoopback } from '../setup/loopback.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { parseChallenge } from './challenge.ts'
import { fetchProtection } from './fetch-metadata.ts'
import { startMcpServer } from './mcp-server.ts'

const tool = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const resource = 'https://gateway.example/mcp'

/** Scenarios that fail, and why that is not the gateway's doing. */
const notOurs: Readonly<Record<string, string>> = {
  'dns-rebinding-protection':
    'it is for a server without authentication on this machine: a web page that reaches the gateway by another name has no token',
  'server-sse-polling': 'its server has to keep events for clients that come back, and that of this test does not',
}

test('a server of the Model Context Protocol behind nginx and the verifier passes every scenario that applies', async () => {
  await using issuer = await startRotatingIssuer()
  await using server = await startMcpServer()
  const policy = renderPolicy(issuer.issuer)
  const terms = findRecipeTerms(parsePolicy(Buffer.from(policy)).policy!)!
  const token = await issuer.sign({ sub: 'dana', aud: resource, scope: 'mcp:tools' })
  const direct = await runScenarios(server.url)
  server.takeCallers()
  const behind = await withVerifier(policy, (verifierSocket) =>
    runWithGateway(
      (directory) => startNginx('With auth_request', { directory, verifierSocket, modelPort: server.port, terms }),
      async ({ url }) => {
        const refused = await fetch(`${url}/mcp`, { method: 'POST' })
        const challenge = parseChallenge(refused.headers.get('www-authenticate') ?? '')
        // The gateway calls itself gateway.example; the test asks it where it is.
        const metadata = challenge.metadata?.replace('https://gateway.example', url)
        const protection = await fetchProtection(resource, { ...challenge, metadata })
        await using client = await startClientWithToken(`${url}/mcp`, token)
        return { status: refused.status, scope: challenge.scope, protection, ...(await runScenarios(client.url)) }
      },
    ),
  )
  expect({ direct: direct.failed, behind, callers: server.takeCallers() }).toEqual({
    direct: Object.keys(notOurs),
    behind: {
      status: 401,
      scope: 'mcp:tools',
      protection: { resource, scopes: ['mcp:tools'], issuer: issuer.issuer },
      failed: Object.keys(notOurs),
      count: direct.count,
    },
    callers: ['dana'],
  })
  expect(direct.count).toBeGreaterThanOrEqual(30)
})

function renderPolicy(issuer: string): string {
  return JSON.stringify({
    issuers: [{ issuer, audiences: [resource] }],
    resource: { url: resource, name: 'Tools' },
    rules: [{ name: 'tools', issuer, everyone: true, scopes: ['mcp:tools'], headers: { 'x-user': '{sub}' } }],
  })
}

/** Runs every server scenario of the tool. @returns those with a failure or a warning, and how many there are. */
async function runScenarios(url: string): Promise<{ readonly failed: string[]; readonly count: number }> {
  const directory = await temporaryDirectory()
  await execa(process.execPath, [tool, 'server', '--url', url, '--suite', 'all', '-o', directory], { reject: false })
  const folders = readdirSync(directory)
  const failed = folders.flatMap((folder) => {
    const checks: { readonly status: string }[] = JSON.parse(
      readFileSync(join(directory, folder, 'checks.json'), 'utf8'),
    )
    const isWrong = checks.some(({ status }) => status === 'FAILURE' || status === 'WARNING')
    return isWrong ? [folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')] : []
  })
  return { failed, count: folders.length }
}

/** The tool sends no token: this adds it to each request, as a client that has signed in does, and passes everything else on. */
async function startClientWithToken(
  target: string,
  token: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request: IncomingMessage, response) => {
    const { method, headers } = request
    const onward = send(target, { method, headers: { ...headers, authorization: `Bearer ${token}` } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}
