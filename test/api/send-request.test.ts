import { describe, expect, test } from 'vitest'
import type { HttpExchange } from '../../src/api/connection.ts'
import { sendRequest } from '../../src/api/send-request.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { vendor } from '../../src/vendor.ts'
import { connectionTo, credential, startRecordingServer } from './recording-server.ts'

const get = { method: 'GET', path: '/v1/organizations/workspaces' }
const expired = { type: 'error', error: { type: 'authentication_error', message: 'expired' }, request_id: 'req_1' }

describe('Common request headers', () => {
  test('Authorization, vendor-version; no more than that with GET', async () => {
    const { recorded, url } = await startRecordingServer({})
    await sendRequest(connectionTo(url), get)
    const { authorization, ...headers } = recorded[0]!.headers
    expect(authorization).toBe('Bearer first-token')
    expect(headers).toMatchObject({ 'vendor-version': '2023-06-01', accept: 'application/json' })
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['content-type']))
    expect(Object.keys(headers).filter((name) => name.startsWith(`${vendor.headerPrefix.toLowerCase()}-`))).toEqual([
      'vendor-version',
    ])
  })

  test('x-api-key in place of Authorization', async () => {
    const { recorded, url } = await startRecordingServer({})
    const current = async () => credential('k', { scheme: 'x-api-key' })
    await sendRequest(connectionTo(url, { credentials: { current, renew: async () => undefined } }), get)
    expect([recorded[0]!.headers['x-api-key'], recorded[0]!.headers.authorization]).toEqual(['k', undefined])
  })

  test('vendor-beta: session endpoints name managed-agents-2026-04-01, besides those that were asked for', async () => {
    const { recorded, url } = await startRecordingServer({}, {}, {})
    const betas = ['skills-2025-10-02', 'managed-agents-2026-04-01'] as const
    await sendRequest(connectionTo(url), { method: 'GET', path: '/v1/sessions/s/resources' })
    await sendRequest(connectionTo(url, { betas }), { method: 'GET', path: '/v1/sessions/s/resources' })
    await sendRequest(connectionTo(url, { betas: ['skills-2025-10-02'] }), get)
    expect(recorded.map(({ headers }) => headers['vendor-beta'])).toEqual([
      'managed-agents-2026-04-01',
      'managed-agents-2026-04-01,skills-2025-10-02',
      'skills-2025-10-02',
    ])
  })

  test('vendor-beta: a value that table "Versioning" does not have is not sent', async () => {
    const { recorded, url } = await startRecordingServer({})
    const betas = ['skills-2025-10-02', 'skills-2025-10-03'] as never // a caller in JavaScript has no types
    await expect(sendRequest(connectionTo(url, { betas }), get)).rejects.toEqual(
      new HelperError(
        'usage',
        'vendor-beta names a feature that does not exist',
        'take it from table "Versioning" of the API',
      ),
    )
    expect(recorded).toEqual([])
  })

  test('vendor-workspace-id when it is needed; content-type on POST', async () => {
    const { recorded, url } = await startRecordingServer({})
    const request = { method: 'POST', path: '/v1/messages', body: '{}' }
    await sendRequest(connectionTo(url, { workspaceId: 'wrkspc_1' }), request)
    expect(recorded[0]!.headers).toMatchObject({
      'vendor-workspace-id': 'wrkspc_1',
      'content-type': 'application/json',
    })
  })

  test("the credential's own headers are sent, and cannot replace the protocol's", async () => {
    const { recorded, url } = await startRecordingServer({})
    const headers = { 'X-Org-Route': 'prod', 'Vendor-Version': '1', Authorization: 'Bearer other' }
    const current = async () => credential('t', { headers })
    await sendRequest(connectionTo(url, { credentials: { current, renew: async () => undefined } }), get)
    expect(recorded[0]!.headers).toMatchObject({
      'x-org-route': 'prod',
      'vendor-version': '2023-06-01',
      authorization: 'Bearer t',
    })
  })
})

describe('a credential that is refused', () => {
  test('401: the source is asked once for another, and the request is repeated once', async () => {
    const { recorded, url } = await startRecordingServer({ status: 401, body: expired }, {})
    const request = { method: 'POST', path: '/v1/messages', body: '{"a":1}' }
    await sendRequest(connectionTo(url, {}, 'old', 'new'), request)
    expect(recorded.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer old', '{"a":1}'],
      ['Bearer new', '{"a":1}'],
    ])
  })

  test('a second 401 is final', async () => {
    const { recorded, url } = await startRecordingServer(...Array(3).fill({ status: 401, body: expired }))
    await expect(sendRequest(connectionTo(url, {}, 'a', 'b', 'c'), get)).rejects.toMatchObject({ status: 401 })
    expect(recorded.length).toBe(2)
  })

  test.each([403, 429, 500])('%i does not ask for another credential', async (status) => {
    const { recorded, url } = await startRecordingServer({ status })
    await expect(sendRequest(connectionTo(url, {}, 'a', 'b'), get)).rejects.toMatchObject({ status })
    expect(recorded.length).toBe(1)
  })

  test('without another credential, the 401 is final', async () => {
    const { url } = await startRecordingServer({ status: 401, body: expired })
    await expect(sendRequest(connectionTo(url, {}, 'only'), get)).rejects.toMatchObject({
      status: 401,
      type: 'authentication_error',
      requestId: 'req_1',
      message: 'HTTP 401 authentication_error: expired (request req_1)',
    })
  })
})

describe('addresses to which nothing is sent', () => {
  test.each([
    ['http://api.example.com', 'api.example.com would be sent a secret over plain http'],
    ['ftp://api.example.com', 'is not a URL that can be used'],
    ['https://user:pass@api.example.com', 'is not a URL that can be used'],
    ['api.example.com', 'is not a URL that can be used'],
    ['', 'is not a URL that can be used'],
  ])('%j, and no helper is run for it', async (baseUrl, why) => {
    let asked = 0
    const current = async () => {
      asked += 1
      return credential('t')
    }
    const connection = connectionTo(baseUrl, { credentials: { current, renew: current } })
    await expect(sendRequest(connection, get)).rejects.toThrow(why)
    expect(asked).toBe(0)
  })

  test('a redirect is not followed', async () => {
    const elsewhere = await startRecordingServer({})
    const { url } = await startRecordingServer({ status: 307, headers: { location: elsewhere.url } })
    await expect(sendRequest(connectionTo(url), get)).rejects.toMatchObject({ status: 307 })
    expect(elsewhere.recorded).toEqual([])
  })
})

test('onExchange receives everything but the credential', async () => {
  const { url } = await startRecordingServer({ headers: { 'request-id': 'req_1' } })
  const seen: HttpExchange[] = []
  await sendRequest(connectionTo(url, { onExchange: (exchange) => seen.push(exchange) }, 'canary'), get)
  expect(seen).toMatchObject([
    {
      method: 'GET',
      url: `${url}/v1/organizations/workspaces`,
      sent: { authorization: '[secret]', 'vendor-version': '2023-06-01' },
      status: 200,
      received: { 'request-id': 'req_1' },
    },
  ])
  expect(JSON.stringify(seen)).not.toContain('canary')
})

test('a credential that a server repeats in its message is not in ours', async () => {
  const body = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'bad token canary-1' },
    request_id: 'r',
  }
  const { url } = await startRecordingServer({ status: 400, body })
  await expect(sendRequest(connectionTo(url, {}, 'canary-1'), get)).rejects.toThrow('bad token [secret]')
})

describe('nothing that was sent and that a server repeats is shown:', () => {
  const body = JSON.stringify({
    authorization_token: 'canary-of-body',
    nested: [{ api_key: 'canary-of-key' }],
    n: 'plain',
  })
  const headers = { 'X-Team-Token': 'canary-of-header', 'X-Route': 'prod', 'X-Tenant': 'canary-tenant' }
  const words = 'Bearer canary-of-token, canary-of-body, canary-of-key, canary-of-header, canary-tenant, plain, prod'
  const hidden = 'Bearer [secret], [secret], [secret], [secret], [secret], plain, prod'
  const request = { method: 'POST', path: '/v1/sessions/s/resources/r', body }
  const source = (token: string) => ({
    current: async () => credential(token, { headers }),
    renew: async () => credential(`${token}-2`, { headers }),
  })

  test('in its error', async () => {
    const problem = { error: { type: 'canary-of-token', message: words }, request_id: 'canary-of-body' }
    const { url } = await startRecordingServer({ status: 400, body: problem, headers: { 'request-id': 'req_1' } })
    await expect(
      sendRequest(connectionTo(url, { credentials: source('canary-of-token') }), request),
    ).rejects.toMatchObject({
      message: `HTTP 400: ${hidden} (request req_1)`,
      type: undefined,
      requestId: 'req_1',
    })
  })

  test('in its headers, and hides those of the request that hold a secret', async () => {
    const { url } = await startRecordingServer({ headers: { 'x-echo': words, 'x-other': 'fine' } })
    const seen: HttpExchange[] = []
    const onExchange = (exchange: HttpExchange) => seen.push(exchange)
    await sendRequest(connectionTo(url, { credentials: source('canary-of-token'), onExchange }), request)
    expect(seen[0]).toMatchObject({
      sent: { 'X-Team-Token': '[secret]', 'X-Route': 'prod' },
      received: { 'x-echo': hidden, 'x-other': 'fine' },
    })
  })

  test('of the credential before, after it was renewed', async () => {
    const problem = (message: string) => ({
      status: 401,
      body: { error: { type: 'authentication_error', message } },
      headers: { 'x-echo': message },
    })
    const { url } = await startRecordingServer(problem('first'), problem('was old-canary, is new-token'))
    const seen: HttpExchange[] = []
    const onExchange = (exchange: HttpExchange) => seen.push(exchange)
    await expect(sendRequest(connectionTo(url, { onExchange }, 'old-canary', 'new-token'), get)).rejects.toThrow(
      'HTTP 401 authentication_error: was [secret], is [secret]',
    )
    expect(seen.map(({ received }) => received['x-echo'])).toEqual(['first', 'was [secret], is [secret]'])
  })

  test('an endless error is described by its status', async () => {
    const { url } = await startRecordingServer({ status: 500, body: 'x'.repeat(2 * 1024 * 1024) })
    await expect(sendRequest(connectionTo(url), get)).rejects.toThrow(
      'HTTP 500: the answer does not have the form that the API documents',
    )
  })
})
