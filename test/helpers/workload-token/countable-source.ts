import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import type { CountableSource } from './countable-source.ts'

const json = { 'content-type': 'application/json' }

/** A platform that exchanges any identity token for an access token of an hour. */
export async function startExchange(): Promise<CountableSource> {
  const home = await temporaryDirectory()
  let asked = 0
  let given = 0
  let mode: 'answer' | 'hang once' | 'overloaded' | 'refuse' | { delayMs: number } = 'answer'
  const answer = async (response: ServerResponse): Promise<void> => {
    asked += 1
    if (mode === 'overloaded') return void response.writeHead(503).end()
    if (mode === 'refuse') return void response.writeHead(403, json).end('{"error":"access_denied"}')
    given += 1
    const access_token = `made-up-access-token-${given}`
    if (mode === 'hang once') {
      mode = 'answer'
      return
    }
    if (typeof mode === 'object') await sleep(mode.delayMs)
    response.writeHead(200, json)
    response.end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3600 }))
  }
  const server = createServer((request, response) => {
    request.resume()
    void answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo // a server that listens on a port has one
  const target = ['--base-url', `http://127.0.0.1:${port}`, '--organization', 'org-1', '--federation-rule', 'rule-1']
  const identity = ['--identity', 'variable', '--identity-variable', 'IDENTITY_TOKEN']
  return {
    home,
    env: { HOME: home, IDENTITY_TOKEN: identityToken() },
    argv: (key = 0) => [...target, ...identity, '--header', `X-Key: ${key}`],
    mints: () => given,
    leadTo: (url) => ({ argv: ['--base-url', url] }),
    asked: () => asked,
    hangOnce: () => {
      mode = 'hang once'
    },
    delay: (delayMs) => {
      mode = { delayMs }
    },
    refuseBriefly: () => {
      mode = 'overloaded'
    },
    refuse: () => {
      mode = 'refuse'
    },
  }
}

/** Nobody here looks at its signature. */
function identityToken(): string {
  const claims = { iss: 'https://issuer.example', sub: 'runner', aud: 'platform', exp: 4_000_000_000 }
  const parts = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...parts, 'signature'].join('.')
}
