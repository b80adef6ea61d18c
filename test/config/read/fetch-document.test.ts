import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fetchDocument } from '../../../src/config/read/fetch-document.ts'
import type { ReadResult } from '../../../src/config/read/read-document.ts'
import { createRetryingFetch } from '../../../src/runtime/network/retrying-fetch.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import { listenOnLoopback } from '../../setup/loopback.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { summarize } from './read-text.ts'

/** Where nobody listens: a port for which there is no service. `fetch` itself refuses port 1. */
const closedAddress = 'http://127.0.0.1:2/'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Fetches a document from a server that answers this way. */
async function fetchFrom(answer: RequestListener, timeoutMs = 30_000): Promise<ReadResult> {
  const server = createServer(answer)
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/document`
  try {
    return await fetchDocument(url, {
      fetch,
      signal: AbortSignal.timeout(timeoutMs),
      authentication: 'server-issued-credential',
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('a JSON object is read by the rules for served documents', async () => {
  const result = await fetchFrom((_request, response) =>
    response.end('{"inference":{"provider":"gateway","baseUrl":"https://gateway.example"}}'),
  )
  expect({ document: result.document, findings: summarize(result) }).toEqual({
    document: { inference: { provider: 'gateway' } },
    findings: ['error url-origin-pinned inference.baseUrl'],
  })
})

test('a redirect is not followed', async () => {
  const result = await fetchFrom((_request, response) =>
    response.writeHead(302, { location: 'https://login.example/?state=secret' }).end(),
  )
  expect(result.findings).toEqual([
    {
      code: 'fetch-redirected',
      message: 'the server redirects (302) to https://login.example, and the client does not follow redirects',
      path: '',
      severity: 'error',
      hint: 'use the final address, which must give the document without a sign-in page',
    },
  ])
})

test.each([
  ['another status', 404, '{}', 'error fetch-status'],
  ['a sign-in page', 200, '<html><body>Sign in</body></html>', 'error html-page'],
  ['an array', 200, '[]', 'error not-an-object'],
])('%s is not a document', async (_what, status, body, expected) => {
  expect(summarize(await fetchFrom((_request, response) => response.writeHead(status).end(body)))).toEqual([expected])
})

test('an endless answer is not read to its end', async () => {
  const result = await fetchFrom((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
    }
    response.on('drain', more)
    more()
  })
  expect(summarize(result)).toEqual(['error too-large'])
})

test('a defect of the caller is thrown', async () => {
  const defect = new TypeError('x')
  const fetch = () => Promise.reject(defect)
  await expect(fetchDocument('http://127.0.0.1:1/', { fetch, signal: AbortSignal.timeout(5000) })).rejects.toBe(defect)
})

test('an answer that does not come in time is a finding', async () => {
  const { findings } = await fetchFrom(() => {}, 50)
  expect(findings.map(({ hint = '', ...rest }) => ({ ...rest, hint: toStableText(hint) }))).toEqual([
    {
      path: '',
      code: 'fetch-failed',
      severity: 'error',
      message: 'the server did not answer in time',
      hint: `try the server with: curl -sS -o /dev/null -w "%{http_code}\\n" 'http://127.0.0.1:PORT'`,
    },
  ])
})

test('an address at which nobody listens is a finding', async () => {
  const closed = await fetchDocument(closedAddress, { fetch, signal: AbortSignal.timeout(30_000) })
  expect(closed.findings).toEqual([
    {
      code: 'fetch-failed',
      message: 'the server did not answer',
      path: '',
      severity: 'error',
      hint: `try the server with: curl -sS -o /dev/null -w "%{http_code}\\n" 'http://127.0.0.1:2'`,
    },
  ])
})

test('an address that is not a URL is a finding', async () => {
  expect(summarize(await fetchDocument('nowhere', { fetch, signal: AbortSignal.timeout(5000) }))).toEqual([
    'error fetch-failed',
  ])
})

test('an answer that stalls is not read as its first half', async () => {
  const body = '{"inference":{"provider":"gateway","baseUrl":"https://gateway.example"}}'
  const heads = ['HTTP/1.0 200 OK', 'HTTP/1.1 200 OK\r\ncontent-length: 500', 'HTTP/1.1 200 OK\r\nconnection: close']
  const outcomes = await Promise.all(
    heads.map(async (head) => {
      const server = startSocketServer((socket) => socket.write(`${head}\r\n\r\n${body}`)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const fetch = createStreamFetch({ network, silenceSec: 30 })
      const { port } = server.address() as AddressInfo // a TCP server, which listens
      const result = await fetchDocument(`http://127.0.0.1:${port}/`, { fetch, signal: AbortSignal.timeout(300) })
      server.close()
      return { document: result.document, messages: result.findings.map(({ message }) => message) }
    }),
  )
  expect(outcomes).toEqual(heads.map(() => ({ document: undefined, messages: ['the server did not answer in time'] })))
})

test('a body that drips ends with the time limit', async () => {
  const drip = async function* () {
    for (;;) {
      await sleep(20)
      yield Buffer.from(' ')
    }
  }
  const body = ReadableStream.from(drip())
  const result = await fetchDocument('http://127.0.0.1:1/', {
    fetch: async () => new Response(body),
    signal: AbortSignal.timeout(300),
  })
  expect(result.findings.map(({ message }) => message)).toEqual(['the server did not answer in time'])
})

test('the pause that a server asks for ends with the time limit', async () => {
  const server = createServer((_request, response) => response.writeHead(503, { 'retry-after': '600' }).end())
  const port = await listenOnLoopback(server)
  const result = await fetchDocument(`http://127.0.0.1:${port}/`, {
    fetch: createRetryingFetch(createStreamFetch({ network, silenceSec: 30 }), 3600),
    signal: AbortSignal.timeout(300),
  })
  server.close()
  expect(result.findings.map(({ message }) => message)).toEqual(['the server did not answer in time'])
})

/** Starts a server that answers every request in these bytes, and keeps the connection open. */
function startSocketServer(answer: (socket: Socket) => void): Server {
  return createSocketServer((socket) => {
    socket.on('error', () => {}) // the other side gives up
    socket.once('data', () => answer(socket))
  })
}
