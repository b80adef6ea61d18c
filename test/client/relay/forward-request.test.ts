import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { toStableText } from '../../setup/to-stable-text.ts'
import {
  createCountingSource,
  createGate,
  noCredential,
  readText,
  startGatewayStage,
  startRawGateway,
  startRelayStage,
  toLine,
} from './relay-stage.ts'

const body = JSON.stringify({ model: 'default', stream: true })

describe('a request', () => {
  test('reaches the gateway unchanged but for the credential in place of the key', async () => {
    const seen: unknown[] = []
    const stage = await startGatewayStage(async (request, response) => {
      const { host, ...headers } = request.headers
      seen.push({ method: request.method, url: request.url, headers, body: await readText(request) })
      response.writeHead(201, 'Made', ['X-Case', 'kept', 'set-cookie', 'a=1', 'set-cookie', 'b=2', 'date', 'today'])
      response.end('an answer')
    })
    const client = stage.open()
    const lines = [
      'POST /v1/messages?beta=a%20b HTTP/1.1',
      `Host: ${stage.host}`,
      `Authorization: Bearer ${stage.key}`,
      `x-api-key: ${stage.key}`,
      `x-goog-api-key: ${stage.key}`,
      `api-key: ${stage.key}`,
      'x-org-route: of the client',
      'vendor-version: 2023-06-01',
      'cookie: a=1',
      'proxy-authorization: Basic eDp5',
      'te: trailers',
      'x-hop: 1',
      'connection: close, x-hop',
      `content-length: ${body.length}`,
    ]
    client.socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
    expect({ answer: await client.readAll(), seen }).toEqual({
      answer:
        'HTTP/1.1 201 Made\r\nX-Case: kept\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ndate: today\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nan answer\r\n0\r\n\r\n',
      seen: [
        {
          method: 'POST',
          url: '/v1/messages?beta=a%20b',
          headers: {
            'x-org-route': 'prod',
            'vendor-version': '2023-06-01',
            'content-length': String(body.length),
            authorization: 'Bearer token-1',
            connection: 'keep-alive',
          },
          body,
        },
      ],
    })
  })

  test('keeps the path that the address of the gateway has', async () => {
    const stage = await startGatewayStage((request, response) => response.end(request.url))
    const below = await startRelayStage(`${stage.relay.url}/`, {
      ...createCountingSource().source,
      current: async () => ({ token: stage.relay.key, scheme: 'x-api-key', headers: {} }),
    })
    const deeper = await startRelayStage(`${below.relay.url}/team/a/`, {
      ...createCountingSource().source,
      current: async () => ({ token: below.relay.key, scheme: 'bearer', headers: {} }),
    })
    expect(await (await below.fetch('/v1/models')).text()).toBe('/v1/models')
    expect(await (await deeper.fetch('/v1/models')).text()).toBe('/team/a/v1/models')
  })

  test('that the client breaks off is broken off at the gateway', async () => {
    const reached = createGate()
    const gone = createGate()
    const stage = await startGatewayStage((request) => {
      reached.resolve()
      request.on('error', () => gone.resolve())
    })
    const client = stage.open()
    const lines = [`POST / HTTP/1.1`, `Host: ${stage.host}`, `x-api-key: ${stage.key}`, 'content-length: 10']
    client.socket.write(`${lines.join('\r\n')}\r\n\r\nhalf`)
    await reached.promise
    client.socket.destroy()
    await gone.promise
  })

  const expecting = (host: string, key: string) =>
    `POST / HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key}\r\nExpect: 100-continue\r\nConnection: close\r\ncontent-length: 3\r\n\r\n`

  test('with Expect: 100-continue and the key is told to go on', async () => {
    const stage = await startGatewayStage(async (request, response) => response.end(await readText(request)))
    const client = stage.open()
    client.socket.write(expecting(stage.host, stage.key))
    await expect.poll(client.received).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    client.socket.write('yes')
    expect(toStableText(await client.readAll())).toBe(`\
HTTP/1.1 100 Continue\r
\r
HTTP/1.1 200 OK\r
Date: DATE\r
Content-Length: 3\r
Connection: close\r
\r
yes`)
  })

  test('with Expect: 100-continue and another key is refused', async () => {
    const stage = await startGatewayStage(async (request, response) => response.end(await readText(request)))
    const client = stage.open()
    client.socket.write(expecting(stage.host, 'another'))
    expect(toStableText(await client.readAll())).toBe(`\
HTTP/1.1 401 Unauthorized\r
content-type: application/json\r
content-length: 196\r
cache-control: no-store\r
connection: close\r
Date: DATE\r
\r
{"type":"error","error":{"type":"authentication_error","message":"this address takes only requests of the client that was started with it"},"request_id":"req_UUID"}`)
  })
})

describe('an answer', () => {
  test('passes piece by piece, and its headers before the first piece', async () => {
    const gates = [createGate(), createGate(), createGate()]
    const stage = await startGatewayStage(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      for (const [index, gate] of gates.entries()) {
        await gate.promise
        response.write(`data: ${index}\n\n`)
      }
      response.end()
    })
    const response = await stage.fetch('/v1/messages', { method: 'POST', body })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const pieces: unknown[] = []
    for (const gate of gates) {
      gate.resolve()
      pieces.push((await reader.read()).value)
    }
    expect(pieces).toEqual(['data: 0\n\n', 'data: 1\n\n', 'data: 2\n\n'])
    expect(await reader.read()).toEqual({ done: true, value: undefined })
  })

  test('begins while the request is still sent', async () => {
    const stage = await startGatewayStage((request, response) => {
      response.writeHead(200)
      request.pipe(response)
    })
    const sent = new TransformStream<Uint8Array, Uint8Array>()
    const writer = sent.writable.getWriter()
    void writer.write(Buffer.from('first'))
    const response = await stage.fetch('/', { method: 'POST', body: sent.readable, duplex: 'half' } as RequestInit)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const read = [await reader.read()]
    void writer.write(Buffer.from('second'))
    read.push(await reader.read())
    await writer.close()
    expect([...read, await reader.read()]).toEqual([
      { done: false, value: 'first' },
      { done: false, value: 'second' },
      { done: true, value: undefined },
    ])
  })

  test('that the gateway breaks off is not ended as if it were whole', async () => {
    const stage = await startGatewayStage((request, response) => {
      response.write('data: 0\n\n', () => request.socket.destroy())
    })
    const response = await stage.fetch('/')
    expect(await response.text().catch(({ message }) => message)).toBe('terminated')
  })

  test('that the client no longer reads is broken off at the gateway', async () => {
    const gone = createGate()
    const stage = await startGatewayStage((_request, response) => {
      response.once('close', gone.resolve).write('data: 0\n\n')
    })
    const response = await stage.fetch('/')
    await response.body!.cancel()
    await gone.promise
  })

  test('is taken no faster than the client reads it', async () => {
    let written = 0
    const piece = Buffer.alloc(256 * 1024)
    const fill = (response: ServerResponse) => {
      while (written < 512 && response.write(piece)) written += 1
      written += 1
      if (written < 512) response.once('drain', () => fill(response))
    }
    const stage = await startGatewayStage((_request, response) => fill(response))
    const client = stage.open()
    client.socket.pause()
    client.socket.write(`GET / HTTP/1.1\r\nHost: ${stage.host}\r\nx-api-key: ${stage.key}\r\n\r\n`)
    await expect.poll(() => written).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    // 128 MiB are offered; what the buffers of four sockets hold is less than a quarter of it.
    expect(written).toBeLessThan(128)
  })
})

describe('after a 401', () => {
  test('the request is sent once more with another token, and its body again', async () => {
    const seen: string[] = []
    const { source, counts } = createCountingSource()
    const stage = await startGatewayStage(async (request, response) => {
      const token = request.headers.authorization
      seen.push(`${token} ${await readText(request)}`)
      response.statusCode = token === 'Bearer token-1' ? 401 : 200
      response.end('an answer')
    }, source)
    const ask = async (body: string) => toLine(await stage.fetch('/', { method: 'POST', body }))
    expect({ answers: [await ask('a body'), await ask('another')], seen, renewals: counts.renew }).toEqual({
      answers: ['200 an answer', '200 an answer'],
      seen: ['Bearer token-1 a body', 'Bearer token-2 a body', 'Bearer token-2 another'],
      renewals: 1,
    })
  })

  test('thirty requests at once get one new token', async () => {
    const { source, counts } = createCountingSource()
    const renew = async () => {
      const renewed = await source.renew()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return renewed
    }
    const stage = await startGatewayStage(
      ({ headers }, response) => void response.writeHead(headers.authorization === 'Bearer token-1' ? 401 : 200).end(),
      { ...source, renew },
    )
    const answers = await Promise.all(Array.from({ length: 30 }, () => stage.fetch('/')))
    expect({ statuses: answers.map(({ status }) => status), renewals: counts.renew }).toEqual({
      statuses: Array(30).fill(200),
      renewals: 1,
    })
  })

  test('to every request, the helper runs once in ten seconds', async () => {
    const { source, counts } = createCountingSource()
    const stage = await startGatewayStage(async (request, response) => {
      await readText(request)
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no')
    }, source)
    const ask = async () => toLine(await stage.fetch('/', { method: 'POST', body: 'x' }))
    const early = { answers: [await ask(), await ask(), await ask()], renewals: counts.renew }
    stage.clock.now += 10_000
    expect({ early, later: { answers: [await ask()], renewals: counts.renew } }).toEqual({
      early: { answers: ['401 no', '401 no', '401 no'], renewals: 1 },
      later: { answers: ['401 no'], renewals: 2 },
    })
  })

  test('to a body that is too long to be kept, the client gets the 401', async () => {
    const { source, counts } = createCountingSource()
    const stage = await startGatewayStage(async (request, response) => {
      for await (const _ of request);
      response.writeHead(401).end('no')
    }, source)
    const long = Buffer.alloc(17 * 1024 * 1024)
    expect({ line: await toLine(await stage.fetch('/', { method: 'POST', body: long })), renew: counts.renew }).toEqual(
      { line: '401 no', renew: 0 },
    )
  })

  test('before the whole body is there, the rest is awaited and all of it sent again', async () => {
    const seen: string[] = []
    const refused = createGate()
    const stage = await startGatewayStage(async (request, response) => {
      if (request.headers.authorization === 'Bearer token-1') {
        response.writeHead(401).end('no')
        return refused.resolve()
      }
      seen.push(await readText(request))
      response.end('an answer')
    })
    const client = stage.open()
    const head = `POST / HTTP/1.1\r\nHost: ${stage.host}\r\nx-api-key: ${stage.key}\r\nConnection: close\r\n`
    client.socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n`)
    await refused.promise
    client.socket.write('4\r\nlast\r\n0\r\n\r\n')
    expect({ answer: toStableText(await client.readAll()), seen }).toEqual({
      answer: `\
HTTP/1.1 200 OK\r
Date: DATE\r
Content-Length: 9\r
Connection: close\r
\r
an answer`,
      seen: ['firstlast'],
    })
  })

  test('a client that breaks off while the rest of its body is awaited causes no defect', async () => {
    const [refused, gone] = [createGate(), createGate()]
    const stage = await startGatewayStage((request, response) => {
      if (request.method === 'GET') return void response.end()
      request.socket.once('close', gone.resolve)
      response.writeHead(401).end(refused.resolve)
    })
    const client = stage.open()
    const head = `POST / HTTP/1.1\r\nHost: ${stage.host}\r\nx-api-key: ${stage.key}\r\nContent-Length: 100\r\n\r\n`
    client.socket.write(`${head}the beginning`)
    await refused.promise
    await stage.fetch('/') // the relay has read the 401 then
    client.socket.destroy()
    await gone.promise
    await stage.fetch('/') // it has seen the end then
    expect(stage.failures).toEqual([])
  })

  test('the failure of a helper is reported to the client and to the person', async () => {
    let isBroken = false
    const { source } = createCountingSource(() => (isBroken ? noCredential() : undefined))
    const stage = await startGatewayStage((_request, response) => {
      isBroken = true
      response.writeHead(401).end('no')
    }, source)
    const line = '401 authentication_error: gatepass: the credential helper gave no credential; look at it'
    expect({ line: await toLine(await stage.fetch('/')), failures: stage.failures }).toEqual({
      line,
      failures: ['the credential helper gave no credential'],
    })
  })
})

describe('a gateway that lies', () => {
  const hint = 'check that the base URL is the address of the API itself'
  const answer = (...lines: readonly string[]) => `${['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')}`
  const chunked = 'transfer-encoding: chunked'
  const unlike = (code: string) => `answered with something that is not HTTP/1.1 (${code})`

  test.each<[what: string, answer: string, seen: string]>([
    ['bytes that are not HTTP', 'SSH-2.0-OpenSSH\r\n', unlike('HPE_INVALID_CONSTANT')],
    ['two lengths', answer('content-length: 1', 'content-length: 2'), unlike('HPE_UNEXPECTED_CONTENT_LENGTH')],
    ['a length and chunks', answer('content-length: 1', chunked), unlike('HPE_INVALID_TRANSFER_ENCODING')],
    ['a bare line feed in a header', answer('x: a\n b: c'), unlike('HPE_CR_EXPECTED')],
    ['endless headers', answer(`x: ${'a'.repeat(70_000)}`), 'answered with more headers than are read (64 KiB)'],
    [
      'a redirect',
      'HTTP/1.1 307 Moved\r\nlocation: https://other.example/x\r\n\r\n',
      'redirects to other.example (HTTP 307), which is not followed',
    ],
    [
      'a redirect without a target',
      'HTTP/1.1 302 Moved\r\ncontent-length: 0\r\n\r\n',
      'redirects (HTTP 302), which is not followed',
    ],
    [
      'another protocol',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'changes the protocol of the connection, which nobody has asked for',
    ],
    [
      'control characters behind the status',
      'HTTP/1.1 200 O\u0001K\r\ncontent-length: 0\r\n\r\n',
      'answered with a status line that HTTP does not allow',
    ],
    [
      'a status beyond HTTP',
      'HTTP/1.1 999 Denied\r\ncontent-length: 0\r\n\r\n',
      'answered with a status that HTTP does not define (999)',
    ],
  ])('is reported where it sends %s', async (_what, bytes, seen) => {
    const stage = await startRelayStage(await startRawGateway((socket) => socket.write(bytes)))
    const line = toStableText(await toLine(await stage.fetch('/')))
    expect({ line, failures: stage.failures }).toEqual({
      line: `503 api_error: gatepass: the gateway 127.0.0.1:PORT ${seen}; ${hint}`,
      failures: [],
    })
  })

  test.each<[what: string, bytes: string, send: 'write' | 'end']>([
    ['chunks that break off in the middle break', `${answer(chunked)}5\r\nfirst\r\nzz\r\n`, 'write'],
    ['a body shorter than its length breaks', `${answer('content-length: 10')}short`, 'end'],
  ])('%s the answer off', async (_, bytes, send) => {
    const stage = await startRelayStage(await startRawGateway((socket) => socket[send](bytes)))
    const response = await stage.fetch('/')
    expect(await response.text().catch(({ message }) => message)).toBe('terminated')
  })

  test('and closes the connection is reported as out of reach', async () => {
    const stage = await startRelayStage(await startRawGateway((socket) => socket.destroy()))
    expect(toStableText(await toLine(await stage.fetch('/')))).toBe(
      '503 api_error: gatepass: 127.0.0.1:PORT cannot be reached (ECONNRESET); check what runs at 127.0.0.1:PORT',
    )
  })

  test('and is not there is reported as out of reach', async () => {
    const stage = await startRelayStage('http://127.0.0.1:9')
    expect(await toLine(await stage.fetch('/'))).toBe(
      '503 api_error: gatepass: 127.0.0.1:9 cannot be reached (ECONNREFUSED); check what runs at 127.0.0.1:9',
    )
  })
})

test('while the helper fails, the last token is sent, and the helper runs once in ten seconds', async () => {
  let isBroken = false
  const { source, counts } = createCountingSource(() => (isBroken ? noCredential() : undefined))
  const stage = await startGatewayStage(({ headers }, response) => response.end(headers.authorization), source)
  const ask = async () => ({ answer: await toLine(await stage.fetch('/')), runs: counts.current })
  const before = await ask()
  isBroken = true
  const meanwhile = [await ask(), await ask(), await ask()]
  const failures = [...stage.failures]
  stage.clock.now += 10_000
  const answer = '200 Bearer token-1'
  expect({ before, meanwhile, failures, tenSecLater: await ask() }).toEqual({
    before: { answer, runs: 1 },
    meanwhile: Array(3).fill({ answer, runs: 2 }),
    failures: ['the credential helper gave no credential'],
    tenSecLater: { answer, runs: 3 },
  })
})

test('a helper that has no credential from the start is reported to the client', async () => {
  const { source } = createCountingSource(noCredential)
  const stage = await startRelayStage('http://127.0.0.1:9', source)
  const line = '401 authentication_error: gatepass: the credential helper gave no credential; look at it'
  expect(await toLine(await stage.fetch('/'))).toBe(line)
})

test('a connection of the client serves several requests, and so does the one to the gateway', async () => {
  const ports = new Set<number | undefined>()
  const stage = await startGatewayStage((request, response) => {
    ports.add(request.socket.remotePort)
    response.end('an answer')
  })
  const answers: string[] = []
  for (let count = 0; count < 5; count += 1) answers.push(await (await stage.fetch('/')).text())
  expect({ answers, connections: ports.size }).toEqual({ answers: Array(5).fill('an answer'), connections: 1 })
})

test('closing ends the streams that are under way', async () => {
  const gone = createGate()
  const stage = await startGatewayStage((_request, response) => {
    response.once('close', gone.resolve).write('data: 0\n\n')
  })
  const client = stage.open()
  client.socket.write(`GET / HTTP/1.1\r\nHost: ${stage.host}\r\nx-api-key: ${stage.key}\r\n\r\n`)
  await once(client.socket, 'data')
  await stage.relay.close()
  await gone.promise
  expect(toStableText(await client.readAll())).toBe(`\
HTTP/1.1 200 OK\r
Date: DATE\r
Connection: keep-alive\r
Keep-Alive: timeout=75\r
Transfer-Encoding: chunked\r
\r
9\r
data: 0

\r
`)
})

test('closing does not wait for a request that waits for the helper', async () => {
  const { source } = createCountingSource()
  const asked = createGate()
  const current = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  const stage = await startRelayStage('http://127.0.0.1:9', { ...source, current })
  const answer = stage.fetch('/')
  await asked.promise
  await stage.relay.close()
  expect(await answer.catch(({ message }) => message)).toBe('fetch failed')
})

test.each([
  ['http://gateway.example.com', 'gateway.example.com would be sent a secret over plain http'],
  ['https://gateway.example.com/?key=1', 'the address of the gateway has a query'],
  ['https://user:word@gateway.example.com', 'the address of the API is not a URL that can be used'],
])('%s is not passed on to', async (baseUrl, message) => {
  await expect(startRelayStage(baseUrl)).rejects.toThrow(message)
})
