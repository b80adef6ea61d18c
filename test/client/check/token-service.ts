import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** A made-up service that issues tokens, refuses assertions that were used before, and rotates refresh tokens. */
interface TokenService extends AsyncDisposable {
  /** On loopback. */
  readonly url: string
  /** The same service at this machine's own address, which is not loopback. */
  readonly urlAway: string
  /** The refresh token that it knows at first. */
  readonly refreshToken: string
}

/** Long enough that runs at once meet here, even on a busy machine. */
const answerMs = 600

interface Asked {
  readonly assertion?: string
  readonly refresh_token?: string
}

export async function startTokenService(): Promise<TokenService> {
  const first = newWord()
  let current: string | undefined = first
  const assertions = new Set<string>()
  const answer = (path: string | undefined, asked: Asked): object | undefined => {
    if (path === '/assertion') {
      const assertion = newWord()
      assertions.add(assertion)
      return { assertion }
    }
    if (asked.assertion !== undefined) return assertions.delete(asked.assertion) ? grant() : undefined
    if (asked.refresh_token === undefined) return grant()
    // A refresh token that is used twice may have been stolen, so all of its tokens are revoked (RFC 9700 section 4.14).
    current = asked.refresh_token === current ? newWord() : undefined
    return current === undefined ? undefined : { ...grant(), refresh_token: current }
  }
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = (await json(request)) as Asked
    const answered = answer(request.url, asked)
    await pause(answerMs)
    response.writeHead(answered ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answered ?? { error: 'invalid_grant' }))
  }
  const near = await listen('127.0.0.1', listener)
  const far = await listen(ownAddress(), listener)
  return {
    url: near.url,
    urlAway: far.url,
    refreshToken: first,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([near.close(), far.close()])
    },
  }
}

function grant() {
  const exp = Math.floor(Date.now() / 1000) + 7200
  const access_token = `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.${newWord()}`
  return { access_token, token_type: 'Bearer', expires_in: 7200 }
}

async function listen(host: string, listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const server = createServer((request, response) => {
    listener(request, response).catch(() => response.destroy()) // half a request of a helper that was killed
  })
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo // a TCP server, which listens
  const close = () => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(closed))
  }
  return { url: `http://${host}:${port}`, close }
}

function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)
  if (!own) throw new Error('this machine has no address beyond loopback')
  return own.address
}

function newWord(): string {
  return randomBytes(12).toString('hex')
}
