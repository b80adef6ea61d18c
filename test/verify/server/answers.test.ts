import { describe, expect, test, vi } from 'vitest'
import { serverBounds } from '../../../src/verify/server/bounded-server.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { createIdentity } from '../verifier/made-up-checks.ts'
import { sendRaw, startVerifierStage } from './verifier-stage.ts'

/** Everything about an answer but when it was given. */
async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  const { date, connection, 'keep-alive': keepAlive, ...headers } = Object.fromEntries(response.headers)
  const text = (await response.text()).replace(/req_[\w-]+/, 'req_…')
  return { status: response.status, headers, body: text === '' ? '' : JSON.parse(text) }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('a gateway', () => {
  test('gets 200 with every header that names the caller', async () => {
    const { url } = await startVerifierStage()
    const accepted = {
      status: 200,
      headers: { 'x-user': 'a-b-c', 'x-team': '', 'cache-control': 'no-store', 'content-length': '0' },
      body: '',
    }
    expect(await ask(url, bearer('a.b.c'))).toEqual(accepted)
    expect(await ask(url, bearer('a.b.c'))).toEqual(accepted) // from the cache
  })

  test('is asked for a proof of a token that is bound to a key', async () => {
    const jwt = async () => ({ ...createIdentity('jwt', 'a-b-c'), binding: { key: 'A'.repeat(43) } })
    const audit = { record: () => {}, lost: () => 0, isFailing: () => false, close: () => {} }
    const stage = await startVerifierStage({ made: { checks: { jwt } }, audit, auditFailing: 'refuse' })
    const challenges = []
    for (const scheme of ['Bearer', 'DPoP']) {
      const { status, headers } = await ask(stage.url, { headers: { authorization: `${scheme} a.b.c`, dpop: 'x.y.z' } })
      challenges.push([status, headers['gatepass-refusal'], headers['www-authenticate']])
    }
    const algorithms = 'algs="RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519"'
    expect({ challenges, asked: stage.asked }).toEqual({
      challenges: [
        [
          ...[401, 'key-binding'],
          `DPoP realm="gatepass", error="invalid_token", error_description="the request does not show that its sender has the key to which the token is bound: it is bound to a key, and has to be sent with the scheme DPoP", ${algorithms}`,
        ],
        [
          ...[401, 'proof'],
          `DPoP realm="gatepass", error="invalid_dpop_proof", error_description="the proof of possession (DPoP) is not valid for this request: it is not written in the one form that base64url without padding has", ${algorithms}`,
        ],
      ],
      asked: [],
    })
  })

  test.each<[token: string, status: number, type: string, challenge: string | undefined]>([
    ['', 401, 'authentication_error', 'Bearer realm="gatepass"'],
    [
      'a.refused-signature.c',
      401,
      'authentication_error',
      'Bearer realm="gatepass", error="invalid_token", error_description="the signature of the token does not hold"',
    ],
    [
      'a.stranger.c',
      403,
      'permission_error',
      `Bearer realm="gatepass", error="insufficient_scope", error_description="the token is good, and no rule of the policy lets its owner pass: the claim 'team' is missing"`,
    ],
    ['a.refused-keys-unavailable.c', 503, 'api_error', undefined],
    ['a.defect.c', 500, 'api_error', undefined],
  ])('gets for the token %j the status %i', async (token, status, type, challenge) => {
    const { url } = await startVerifierStage()
    const { status: seen, headers, body } = await ask(url, bearer(token))
    const { reason, message } = body.error
    const detail = token === 'a.stranger.c' ? { detail: 'the claim "team" is missing' } : {}
    expect({ seen, headers, body }).toEqual({
      seen: status,
      headers: {
        ...(challenge !== undefined && { 'www-authenticate': challenge }),
        'gatepass-refusal': reason,
        ...(token === 'a.stranger.c' && { 'gatepass-refusal-detail': 'the claim "team" is missing' }),
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'content-length': expect.any(String),
      },
      body: { type: 'error', error: { type, message, reason, ...detail }, request_id: 'req_…' },
    })
  })

  test('gets the same answer for every method and path', async () => {
    const { url } = await startVerifierStage()
    const paths = ['/metrics', '/healthz', '/readyz', '/introspect', '/v1/messages?x=1', '//', '/%2e%2e/metrics']
    const toLine = async (response: Promise<Response>) => {
      const { status, headers } = await response
      return [status, headers.get('gatepass-refusal')]
    }
    const sent = { ...bearer('a.b.c'), method: 'POST', body: 'token=a.b.c' }
    const methods = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']
    expect({
      without: await Promise.all(paths.map((path) => toLine(fetch(url + path)))),
      accepted: await Promise.all(paths.map((path) => toLine(fetch(url + path, sent)))),
      refused: await Promise.all(
        methods.map((method) => toLine(fetch(url, { method, ...bearer('a.refused-host.c') }))),
      ),
    }).toEqual({
      without: paths.map(() => [401, 'no-token']),
      accepted: paths.map(() => [200, null]),
      refused: methods.map(() => [401, 'host']),
    })
  })

  test('gets a refusal for a value that no header can hold', async () => {
    const { url, lines } = await startVerifierStage({
      made: { checks: { jwt: async (token) => ({ ...identity, subject: `${token}\r\nx-team: root` }) } },
    })
    const { status, headers } = await fetch(url, bearer('a.b.c'))
    expect({
      status,
      refusal: headers.get('gatepass-refusal'),
      line: lines.map((line) => JSON.parse(line)).at(-1),
    }).toEqual({
      status: 500,
      refusal: 'defect',
      line: {
        level: 'error',
        reason: 'defect',
        time: '2026-01-15T12:00:00.000Z',
        event: 'refused',
        message: 'this is a defect of the verifier',
        status: 500,
        note: 'TypeError',
        request: expect.any(String),
      },
    })
  })
})

const identity = { kind: 'jwt', issuer: 'i', claims: {}, issuedAt: 0, expiresAt: Number.MAX_SAFE_INTEGER } as const

describe('requests that are not plain', () => {
  const ok = '200 OK'
  const unauthorized = '401 Unauthorized'
  const bad = '400 Bad Request'
  const token = 'Authorization: Bearer a.b.c'

  test.each<[what: string, lines: readonly string[], answer: string]>([
    ['an absolute target', ['GET http://other/metrics HTTP/1.1', 'Host: a', token], ok],
    ['no Host', ['GET / HTTP/1.1', token], ok],
    ['HTTP/1.0', ['GET / HTTP/1.0', token], ok],
    ['an upgrade', ['GET / HTTP/1.1', 'Host: a', 'Upgrade: websocket', 'Connection: upgrade'], unauthorized],
    ['an expectation', ['POST / HTTP/1.1', 'Host: a', 'Expect: 100-continue', 'Content-Length: 5'], unauthorized],
    ['an unknown one', ['POST / HTTP/1.1', 'Host: a', 'Expect: more'], unauthorized],
    ['two tokens', ['GET / HTTP/1.1', 'Host: a', token, 'authorization: Bearer a.b.d'], unauthorized],
    [
      'a second token behind more lines than Node keeps',
      ['GET / HTTP/1.1', 'Host: a', token, ...Array<string>(2100).fill('x: y'), 'Authorization: Bearer a.b.d'],
      unauthorized,
    ],
    [
      'headers without end',
      ['GET / HTTP/1.1', 'Host: a', `x: ${'y'.repeat(70_000)}`],
      '431 Request Header Fields Too Large',
    ],
    ['a folded header', ['GET / HTTP/1.1', 'Host: a', 'Authorization: Bearer', ' a.b.c'], bad],
    ['a line that only a CR ends', ['GET / HTTP/1.1', 'Host: a', `x: y\r${token}`], bad],
    ['a space before the colon', ['GET / HTTP/1.1', 'Host: a', 'Authorization : Bearer a.b.c'], bad],
    ['two lengths', ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'], bad],
    ['no HTTP', ['\x16\x03\x01'], bad],
  ])('are answered: %s', async (_, lines, answer) => {
    const { port } = await startVerifierStage()
    const request = [...lines, 'Connection: close', '', ''].join('\r\n')
    expect((await sendRaw(port, request)).split('\r\n')[0]).toBe(`HTTP/1.1 ${answer}`)
  })

  test('with CONNECT end the connection without an answer', async () => {
    const { port } = await startVerifierStage()
    expect(await sendRaw(port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.b.c\r\n\r\n')).toBe('')
  })

  test('in a row over one connection are answered in their order', async () => {
    const { port } = await startVerifierStage()
    const request = (token: string, more = '') =>
      `POST / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${more}`
    const body = 'GET /'
    const rows = [
      request('a.1.c', `Content-Length: ${body.length}\r\n\r\n${body}`),
      request('a.refused-expired.c', '\r\n'),
      request('a.2.c', `Transfer-Encoding: chunked\r\n\r\n5\r\n${body}\r\n0\r\n\r\n`),
      request('a.3.c', 'Connection: close\r\n\r\n'),
    ]
    const answers = await sendRaw(port, rows.join(''))
    expect(answers.match(/(HTTP\/1.1 \d+|x-user: .*?|gatepass-refusal: .*?)(?=\s)/g)).toEqual([
      ...['HTTP/1.1 200', 'x-user: a-1-c', 'HTTP/1.1 401', 'gatepass-refusal: expired'],
      ...['HTTP/1.1 200', 'x-user: a-2-c', 'HTTP/1.1 200', 'x-user: a-3-c'],
    ])
  })

  test('with an endless body are not read to its end', async () => {
    const { port } = await startVerifierStage()
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.b.c\r\nContent-Length: 9000000\r\n\r\n'
    const startedAt = performance.now()
    const answer = await sendRaw(port, head + 'x'.repeat(2 * 1024 * 1024))
    // The connection ended long before the time for a whole request was over.
    const isEarly = performance.now() - startedAt < serverBounds.requestMs / 2
    expect([isEarly, answer === '' || answer.startsWith('HTTP/1.1 200 OK\r\n')]).toEqual([true, true])
  })
})

describe('the log', () => {
  test('has a line for each refusal, with the id that the caller has', async () => {
    const { url, lines } = await startVerifierStage()
    await fetch(url, bearer('a.b.c'))
    const { request_id: request } = (await (await fetch(url, bearer('a.stranger.c'))).json()) as { request_id: string }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: '2026-01-15T12:00:00.000Z',
        level: 'warning',
        event: 'refused',
        message: 'the token is good, and no rule of the policy lets its owner pass',
        status: 403,
        reason: 'no-rule',
        detail: 'the claim "team" is missing',
        request,
      },
    ])
  })

  test('names callers who pass where the option asks for it', async () => {
    const { url, lines } = await startVerifierStage({ logAccepted: true })
    await fetch(url, bearer('a.b.c'))
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        event: 'accepted',
        rule: 'staff',
        issuer: 'https://idp.example',
        subject: 'a-b-c',
        time: '2026-01-15T12:00:00.000Z',
        level: 'info',
        message: 'the token passes',
      },
    ])
  })

  test('is bounded, and holds no token', async () => {
    const { url, lines } = await startVerifierStage()
    useFakeTimers() // the second of the limit does not end while the requests are sent
    await Promise.all(Array.from({ length: 30 }, (_, at) => fetch(url, bearer(`a.refused-signature-${at}.c`))))
    expect([lines.length, lines.join('').includes('a.refused')]).toEqual([20, false])
  })
})

describe('a verifier that ends', () => {
  test('answers what arrives meanwhile, and ends each connection', async () => {
    const { server, url, admin } = await startVerifierStage({ drainSec: 30 })
    const before = await fetch(url, bearer('a.b.c'))
    const text = await before.text() // the connection is free for the next request
    useFakeTimers()
    const drained = server.drain()
    const ready = await fetch(`${admin}/readyz`)
    // The last one, after which nothing is waited for.
    const during = await fetch(url, bearer('a.b.c'))
    expect({
      before: [before.headers.get('connection'), text],
      ready: [ready.status, await ready.text()],
      during: [during.status, during.headers.get('connection')],
    }).toEqual({ before: ['keep-alive', ''], ready: [503, 'the server is ending\n'], during: [200, 'close'] })
    await advanceUntil(drained)
    await expect(fetch(url)).rejects.toThrow()
  })

  test('waits for a request in flight, and not for ever', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let arrived = 0
    const jwt = async (token: string) => {
      arrived += 1
      await (token.includes('stuck') ? new Promise(() => {}) : promise)
      return { ...identity, subject: 'dana' }
    }
    const { server, url, port } = await startVerifierStage({ drainSec: 30, made: { checks: { jwt } } })
    const waiting = fetch(url, bearer('a.b.c'))
    const stuck = sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.stuck.c\r\n\r\n')
    await expect.poll(() => arrived).toBe(2)
    useFakeTimers()
    const drained = server.drain()
    resolve()
    const { status } = await waiting
    await advanceUntil(drained)
    expect({ waiting: status, stuck: await stuck }).toEqual({ waiting: 200, stuck: '' })
  })

  /** Lets the seconds of its farewell and of its end pass. */
  async function advanceUntil(drained: Promise<void>): Promise<void> {
    let isOver = false
    drained.then(() => {
      isOver = true
    })
    await expect.poll(async () => vi.advanceTimersByTimeAsync(30_000).then(() => isOver)).toBe(true)
  }
})

test('a flood of refusals hides nobody who passes', async () => {
  const { url, lines } = await startVerifierStage({ logAccepted: true })
  useFakeTimers() // the second of the limit does not end while the requests are sent
  const ask = (token: string, id: string) =>
    fetch(url, { headers: { authorization: `Bearer ${token}`, 'x-request-id': id } })
  for (let count = 0; count < 40; count += 1) await ask(`a.refused-expired-${count}.c`, 'flood')
  await ask('a.b.c', 'req_7f')
  await ask('a.b.c', 'a forged=line')
  const events = lines.map((line) => JSON.parse(line))
  expect({
    refusals: events.filter(({ event }) => event === 'refused').length,
    accepted: events.filter(({ event }) => event === 'accepted').map((each) => each.gateway_request),
  }).toEqual({ refusals: 20, accepted: ['req_7f', undefined] })
})
