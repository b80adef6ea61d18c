import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ApiConnection, ApiCredential } from '../../src/api/api-fetch.ts'
import { Secret } from '../../src/runtime/secret.ts'

export interface Recorded {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Scripted {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Starts a server that records what it is sent and answers from a script; after the end of the script, 501. */
export async function startRecordingServer(...script: readonly Scripted[]) {
  const recorded: Recorded[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { method = '', url: path = '', headers } = request
    const { status = 200, body: answer = {}, headers: extra = {} } = script[recorded.length] ?? { status: 501 }
    recorded.push({ method, path, headers, body })
    response.writeHead(status, { 'content-type': 'application/json', ...extra })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { recorded, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

export const credential = (token: string, parts: Partial<ApiCredential> = {}): ApiCredential => ({
  token: new Secret(token),
  scheme: 'bearer',
  headers: {},
  ...parts,
})

/** Returns a connection with one credential, and at most one more after a refusal. */
export function connectionTo(baseUrl: string, parts: Partial<ApiConnection> = {}, ...tokens: string[]): ApiConnection {
  const [first = 'first-token', ...others] = tokens
  const left = others.map((token) => credential(token))
  return {
    baseUrl,
    credentials: { current: async () => credential(first), renew: async () => left.shift() },
    fetch,
    ...parts,
  }
}
