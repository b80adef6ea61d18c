import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { innerPath } from '../../stand-ins/model/model.ts'
import { audience, people } from '../stage/print-tokens.ts'
import { bearer } from '../stage/scenario.ts'
import type { Played } from '../stage/test-scenarios.ts'
import type { NginxProcess } from './start-nginx.ts'

/** Attacks on the recipe itself: nothing gets past the verifier, and nobody gets a name that is not theirs. */
export function testAttacks(played: () => Played<NginxProcess>): void {
  test.each(['/gatepass', '/gatepass-verifier', '//gatepass', '/v1/../gatepass', '/%67atepass', '/gatepass/'])(
    'the place of the verifier cannot be asked from outside: %s',
    async (path) => {
      const { send, stage } = played()
      const { status, arrived } = await send({ method: 'GET', path, headers: [bearer(stage.tokens.person)] })
      expect({ status, arrived }).toEqual({ status: 404, arrived: [] })
    },
  )

  test.each([
    ...['//v1/messages', '/v1//messages', '/v1/./messages', '/x/../v1/messages', '/V1/messages', '/v1/messages/..;/x'],
    ...['/v1/%2e%2e/gatepass', '/v1/messages%00', '/v1/messages?/gatepass', '/', '/v2', '/v1', '/.well-known/x'],
  ])('no path leads past the verifier: %s', async (path) => {
    const { send } = played()
    const { status, arrived } = await send({ path })
    // Without a question: 301 from a folder without its slash, 404 where nothing is, 400 to a malformed path.
    expect({ isRefused: [301, 400, 401, 404].includes(status), arrived }).toEqual({ isRefused: true, arrived: [] })
  })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'FOO'])(
    'no method leads past the verifier: %s',
    async (method) => {
      const { send } = played()
      const { status, arrived } = await send({ method, path: '/v1/messages' })
      expect({ status, arrived }).toEqual({ status: 401, arrived: [] })
    },
  )

  test('a model cannot lead a client to the verifier', async () => {
    const { send, stage } = played()
    const { status, arrived } = await send({ path: innerPath, headers: [bearer(stage.tokens.person)] })
    expect({ status, lines: arrived.map(({ line }) => line) }).toEqual({ status: 200, lines: [`POST ${innerPath}`] })
  })

  test.each<[what: string, claims: Readonly<Record<string, unknown>>]>([
    ['a line break', { email: 'dana@example.com\r\nX-Account: 111122223333' }],
    ['a lone line feed', { email: 'dana@example.com\nX-Account: 111122223333' }],
    ['a null byte', { email: 'dana@example.com\u0000' }],
    ['letters beyond ASCII', { email: 'däna@example.com' }],
    ['a variable of nginx', { email: '$http_host@example.com' }],
  ])('a claim with %s gives nobody another header', async (_, claims) => {
    const { send, stage } = played()
    const token = await stage.issuer.sign({ ...people.dana, aud: audience.jwt, ...claims })
    const { arrived } = await send({ headers: [bearer(token)] })
    const named = arrived.flatMap(({ identity }) => identity)
    expect(named.filter((line) => line.startsWith('x-account') || line.includes('127.0.0.1'))).toEqual([])
  })

  test.each<[what: string, lines: readonly string[], body: string]>([
    ['a length and chunks', ['Content-Length: 6', 'Transfer-Encoding: chunked'], '0\r\n\r\nG'],
    ['chunks in another spelling', ['Content-Length: 6', 'Transfer-Encoding : chunked'], '0\r\n\r\nG'],
    ['chunks behind a tab', ['Content-Length: 6', 'Transfer-Encoding:\tchunked'], '0\r\n\r\nG'],
    ['two lengths', ['Content-Length: 6', 'Content-Length: 5'], '0\r\n\r\nG'],
    ['a length with a sign', ['Content-Length: +6'], '0\r\n\r\nG'],
    ['a bare line feed in a header', ['X-Ignored: a\nX-User: root', 'Content-Length: 0'], ''],
    ['a folded header', ['X-Ignored: a', ' X-User: root', 'Content-Length: 0'], ''],
    ['headers that end at this hop', ['Connection: authorization, x-user, x-account', 'Content-Length: 0'], ''],
    ['an upgrade', ['Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk', 'Content-Length: 0'], ''],
  ])('a request within a request does not reach the model: %s', async (_, lines, body) => {
    const { gateway, stage } = played()
    stage.model.take()
    const good = ['POST /v1/messages HTTP/1.1', 'Host: gateway.example', `Authorization: Bearer ${stage.tokens.person}`]
    const smuggled = 'ET /v1/smuggled HTTP/1.1\r\nHost: gateway.example\r\nX-User: root\r\n\r\n'
    await exchange(gateway.url, `${[...good, ...lines].join('\r\n')}\r\n\r\n${body}${smuggled}`)
    const requests = stage.model.take()
    const names = requests.flatMap(({ headers }) => headers.filter(([name]) => name === 'x-user'))
    expect({
      smuggled: requests.filter(({ path }) => path !== '/v1/messages'),
      names: names.filter(([, value]) => value !== people.dana.email),
    }).toEqual({ smuggled: [], names: [] })
  })
}

/** Writes bytes to the gateway, and gives what it answers until it ends the connection or says nothing for a while. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setTimeout(300, () => socket.end())
  socket.write(bytes)
  return text(socket).catch(() => '')
}
