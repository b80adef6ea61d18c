import { describe, expect, test } from 'vitest'
import { sendLines } from './send-lines.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer, passes } from './stage/scenario.ts'
import type { Played, RunningGateway } from './stage/test-scenarios.ts'

const dana = passes([`x-user: ${people.dana.email}`])
const good = { ...people.dana, aud: audience.jwt }

/** Attacks on a recipe that asks the verifier: nothing gets past it, and nobody gets a name that is not theirs. */
export function testAttacks(played: () => Played<RunningGateway>): void {
  describe('attacks', () => {
    test.each([
      ...[
        '/v1//messages',
        '/v1/./messages',
        '/x/../v1/messages',
        '/%76%31/messages',
        '/V1/messages',
        '/v1/messages%00',
      ],
      ...['/v1%2fmessages', '/', '/gatepass', '/v1/messages?access_token=e.e.e', '/server-status', '/.well-known/x'],
    ])('no path leads past the verifier: %s', async (path) => {
      const { status, arrived } = await played().send({ path })
      expect({ isRefused: [400, 401, 404].includes(status), arrived }).toEqual({ isRefused: true, arrived: [] })
    })

    test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'])(
      'no method leads past the verifier: %s',
      async (method) => {
        const { status, arrived } = await played().send({ method })
        expect({ status, arrived }).toEqual({ status: method === 'TRACE' ? expect.any(Number) : 401, arrived: [] })
      },
    )

    test.each(['X-User', 'x-account', 'keep-alive, x-user', 'close,X-USER'])(
      'no connection header takes a name away: %s',
      async (value) => {
        const { send, stage } = played()
        const { status, arrived } = await send({ headers: [bearer(stage.tokens.person), ['Connection', value]] })
        expect({ status, arrived }).toEqual({ status: 400, arrived: [] })
      },
    )

    test('a request for an upgrade does not lead past the verifier', async () => {
      const lines = [
        'Connection: upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${btoa('k'.repeat(16))}`,
      ]
      expect(statusOf(await sendLines(played().gateway.url, 'GET /v1/messages HTTP/1.1', lines))).toBe('401')
    })

    test.each([
      ['two lengths', ['Content-Length: 0', 'Content-Length: 44']],
      ['a length and chunks', ['Content-Length: 6', 'Transfer-Encoding: chunked']],
      ['a blank before the colon', ['Authorization : Bearer e.e.e']],
    ])('a request with %s carries no other one', async (_, lines) => {
      const { stage } = played()
      stage.model.take()
      const inner = 'GET /v1/inner HTTP/1.1\r\nHost: gateway\r\nX-User: root\r\n\r\n'
      const head = [...lines, 'Connection: close']
      const answer = await sendLines(played().gateway.url, 'POST /v1/messages HTTP/1.1', head, `0\r\n\r\n${inner}`)
      const isRefused = ['400', '401'].includes(`${statusOf(answer)}`)
      expect({ isRefused, arrived: stage.model.take() }).toEqual({ isRefused: true, arrived: [] })
    })

    test('the scheme may be written in any case', async () => {
      const { send, stage } = played()
      expect(await send({ headers: [['authorization', `bEARER ${stage.tokens.person}`]] })).toEqual(dana)
    })

    test('a large token passes', async () => {
      const { send, stage } = played()
      const token = await stage.issuer.sign({ ...good, entitlements: 'x'.repeat(9_000) })
      expect({ isLarge: token.length > 12_000, outcome: await send({ headers: [bearer(token)] }) }).toEqual({
        isLarge: true,
        outcome: dana,
      })
    })

    test.each([
      ['a line break', 'dana@example.com\r\nX-Account: 111122223333'],
      ['a line feed', 'dana@example.com\nX-Account: 111122223333'],
      ['letters beyond ASCII', 'däna@example.com'],
      ['words of the configuration', '%[src] %{HTTP:Host}e $http_host'],
    ])('a claim with %s gives nobody another name', async (_, email) => {
      const { send, stage } = played()
      const { arrived } = await send({ headers: [bearer(await stage.issuer.sign({ ...good, email }))] })
      const named = arrived.flatMap(({ identity }) => identity)
      expect(named.filter((line) => line.startsWith('x-account') || line.includes('127.0.0.1'))).toEqual([])
    })

    test('the model is told the address of the caller, and not what the caller says it is', async () => {
      const { send, stage, gateway } = played()
      await send({}) // what came before is taken
      const headers = [...bearer(stage.tokens.person), 'X-Forwarded-For', '10.9.8.7', 'Forwarded', 'for=10.9.8.7']
      await fetch(`${gateway.url}/v1/messages`, { headers: toPairs(headers) })
      const [request] = stage.model.take()
      expect(request?.headers.filter(([name]) => /forwarded(-for)?$/.test(name))).toEqual([
        ['x-forwarded-for', '127.0.0.1'],
      ])
    })
  })
}

function toPairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []))
}

const statusOf = (answer: string) => /^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]
