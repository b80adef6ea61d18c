import type { RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { askServer } from '../../../src/client/session/ask-server.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { startHostileServer } from './hostile-server.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

async function ask(answer: RequestListener, etag?: string) {
  const { url } = await startHostileServer(answer)
  return askAt(url, etag)
}

async function askAt(url: string, etag?: string) {
  const fetch = createStreamFetch({ network, silenceSec: 60 })
  const given = await askServer({ url, headers: { 'x-key': 'k' }, authentication: 'none', etag, fetch })
  const { host } = new URL(url)
  return given.outcome === 'failed'
    ? { ...given, message: given.message.replaceAll(host, 'HOST'), hint: given.hint.replaceAll(host, 'HOST') }
    : given
}

const json =
  (body: string, headers: object = {}) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
  }

const operators = "ask the operators of the configuration server; its log has the client's request"
const page =
  'check that bootstrapUrl leads to the configuration server itself, and not to a page or a sign-in before it'

describe('the configuration server gives', () => {
  test('a document, of which a client reads what it knows, and when it blocks', async () => {
    const body = { expiresAt: 1_900_000_000, relaunchEnforcementHours: 4, inference: { provider: 'gateway' } }
    const answer = await ask(json(JSON.stringify(body), { etag: '"a"' }))
    const { result: _, digest: __, ...rest } = answer as { result?: object; digest?: string }
    expect(rest).toEqual({
      outcome: 'document',
      status: 200,
      etag: '"a"',
      enforcementHours: 4,
      document: { expiresAt: 1_900_000_000_000, inference: { provider: 'gateway' } },
    })
  })

  test.each<[what: string, hours: unknown, enforcementHours: number]>([
    ['nothing', undefined, 1],
    ['at once', 0, 0],
    ['two weeks', 336, 336],
    ['longer', 337, 1],
    ['text', '4', 1],
  ])('%s as the time until a client blocks', async (_, relaunchEnforcementHours, enforcementHours) => {
    const answer = await ask(json(JSON.stringify({ relaunchEnforcementHours })))
    expect('enforcementHours' in answer && answer.enforcementHours).toBe(enforcementHours)
  })

  test('the same document at another moment, which counts as the same answer', async () => {
    const digest = async (body: string) => ((await ask(json(body))) as { digest?: string }).digest
    const first = await digest('{"inference":{"provider":"gateway"},"a":1,"expiresAt":1900000000}')
    expect(await digest('{"expiresAt":1900000001,"inference":{"provider":"gateway"},"a":1}')).toBe(first)
    expect(await digest('{"a":1,"inference":{"provider":"gateway"},"expiresAt":1900000000}')).not.toBe(first)
  })

  test('a document whose values for this machine alone, or about the server, are dropped', async () => {
    const inference = { provider: 'gateway', baseUrl: 'http://127.0.0.1:1' }
    const body = { bootstrapUrl: 'https://evil.example', trustBootstrapDelivery: true, inference }
    const answer = await ask(json(JSON.stringify(body)))
    expect('document' in answer && answer.document).toEqual({ inference: { provider: 'gateway' } })
    expect('result' in answer && answer.result.findings.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'bootstrapUrl trust-anchor-served',
      'trustBootstrapDelivery trust-anchor-served',
      'inference.baseUrl url-loopback-served',
    ])
  })

  test.each([{}, { etag: '"a"' }])('304 to a client that holds an answer, with the headers %j', async (headers) => {
    const answer = await ask((_, response) => response.writeHead(304, headers).end(), '"a"')
    expect(answer).toEqual({ outcome: 'unchanged', status: 304 })
  })

  test.each<[what: string, answer: RequestListener, failure: object]>([
    [
      '304 to a client that holds nothing',
      (_, response) => response.writeHead(304).end(),
      {
        reason: 'unexpected-304',
        status: 304,
        hint: operators,
        message: 'the server says that nothing has changed, and the client holds nothing',
      },
    ],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'https://login.example.com/?key=k' }).end(),
      {
        reason: 'redirect',
        status: 302,
        message: 'the server redirects (HTTP 302) to https://login.example.com, and the client follows no redirect',
        hint: 'set bootstrapUrl to the final address, which must answer without a sign-in page',
      },
    ],
    [
      'a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      {
        reason: 'content-type',
        status: 200,
        hint: page,
        message: 'the answer comes as text/html, and the client takes application/json alone',
      },
    ],
    [
      'a page that calls itself JSON',
      json('<!doctype html><html></html>'),
      {
        reason: 'not-a-document',
        status: 200,
        hint: page,
        message: 'the answer is not a JSON object: it is a web page, not a document',
      },
    ],
    [
      'an array',
      json('[]'),
      {
        reason: 'not-a-document',
        status: 200,
        hint: page,
        message: 'the answer is not a JSON object: expected a JSON object, found an array',
      },
    ],
    [
      'one byte more than a MiB',
      json(`{"a":"${'x'.repeat(1024 * 1024 - 7)}"}`),
      {
        reason: 'too-large',
        status: 200,
        hint: 'leave out of the document what clients do not read',
        message: 'the answer is larger than 1 MiB',
      },
    ],
    [
      'no service for now',
      (_, response) => response.writeHead(503, { 'retry-after': '30' }).end(),
      {
        reason: 'status',
        status: 503,
        message: 'the server answers HTTP 503, and asks for a pause of 30 s',
        hint: operators,
      },
    ],
    [
      'nothing at this path',
      (_, response) => response.writeHead(404).end(),
      { reason: 'status', status: 404, message: 'the server answers HTTP 404', hint: 'check bootstrapUrl' },
    ],
    [
      'less than it says',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"inference":', () => response.destroy())
      },
      { reason: 'broken', message: 'HOST cannot be reached (ECONNRESET)', hint: 'check what runs at HOST' },
    ],
  ])('%s, which is not a document', async (_, answer, failure) => {
    expect(await ask(answer)).toEqual({ outcome: 'failed', ...failure })
  })

  test('exactly a MiB, which is a document', async () => {
    const { outcome } = await ask(json(`{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`))
    expect(outcome).toBe('document')
  })

  test.each<[status: number, reason: string]>([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])('%d, with its headers and the beginning of its body, however long that is', async (status, reason) => {
    const body = 'x'.repeat(100_000)
    const answer = await ask((_, response) => response.writeHead(status, { 'www-authenticate': 'Bearer' }).end(body))
    const {
      headers,
      text = '',
      ...rest
    } = answer as { headers?: Headers; text?: string; hint?: string; message?: string }
    expect({ ...rest, hint: '', message: '' }).toEqual({ outcome: 'refused', reason, status, hint: '', message: '' })
    expect([headers?.get('www-authenticate'), text.length < 100_000]).toEqual(['Bearer', true])
  })

  test('nothing, because nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const { port } = server.address() as { port: number }
    await new Promise((closed) => server.close(closed))
    expect(await askAt(`http://127.0.0.1:${port}/bootstrap`)).toEqual({
      outcome: 'failed',
      reason: 'unreachable',
      message: 'HOST cannot be reached (ECONNREFUSED)',
      hint: 'check what runs at HOST',
    })
  })

  test('a document so slowly that it ends after 30 seconds', async () => {
    const { url } = await startHostileServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
      const timer = setInterval(() => response.write(' '), 100)
      response.once('close', () => clearInterval(timer))
    })
    useFakeTimers()
    const answer = askAt(url)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await answer).toEqual({
      outcome: 'failed',
      reason: 'timeout',
      message: 'there was no whole answer within 30 s',
      hint: operators,
    })
  })
})
