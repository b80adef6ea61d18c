import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import type { HttpExchange } from '../../src/api/api-fetch.ts'
import { sendRequest } from '../../src/api/send-request.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { connectionTo, credential, type Recorded, startRecordingServer } from './recording-server.ts'

const get = { method: 'GET', path: '/v1/organizations/workspaces' }

/** Headers that every `fetch` of Node sends; their values are not ours. */
const fromFetch = [
  'host',
  'connection',
  'accept-language',
  'sec-fetch-mode',
  'user-agent',
  'accept-encoding',
  'content-length',
]

const listOwnHeaders = (recorded: Awaited<ReturnType<typeof startRecordingServer>>['recorded']) =>
  recorded.map(({ headers }) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !fromFetch.includes(name))),
  )

const expired = { type: 'error', error: { type: 'authentication_error', message: 'expired' }, request_id: 'req_1' }

const toUndocumented = (status: number) =>
  new ApiError({
    status,
    type: undefined,
    message: 'the answer does not have the form that the API documents',
    requestId: undefined,
    workspace: 'not-named',
  })

describe('Common request headers', () => {
  test('a GET carries Authorization and vendor-version, and no more than that', async () => {
    const { recorded, url } = await startRecordingServer({})
    await sendRequest(connectionTo(url), get)
    expect(listOwnHeaders(recorded)).toEqual([
      { authorization: 'Bearer first-token', accept: 'application/json', 'vendor-version': '2023-06-01' },
    ])
  })

  test('x-api-key stands in place of Authorization', async () => {
    const { recorded, url } = await startRecordingServer({})
    const current = async () => credential('k', { scheme: 'x-api-key' })
    await sendRequest(connectionTo(url, { credentials: { current, renew: async () => undefined } }), get)
    expect(listOwnHeaders(recorded)).toEqual([
      { 'x-api-key': 'k', accept: 'application/json', 'vendor-version': '2023-06-01' },
    ])
  })

  test('vendor-beta of a session endpoint holds managed-agents-2026-04-01 once, with the features that were asked for', async () => {
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

  test('a feature that table "Versioning" does not have is refused before anything is sent', async () => {
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

  test('vendor-workspace-id is sent when it is needed, and content-type on POST', async () => {
    const { recorded, url } = await startRecordingServer({})
    const request = { method: 'POST', path: '/v1/messages', body: '{}' }
    await sendRequest(connectionTo(url, { workspaceId: 'wrkspc_1' }), request)
    expect(listOwnHeaders(recorded)).toEqual([
      {
        authorization: 'Bearer first-token',
        accept: 'application/json',
        'content-type': 'application/json',
        'vendor-version': '2023-06-01',
        'vendor-workspace-id': 'wrkspc_1',
      },
    ])
  })

  test("the credential's own headers are sent unless the protocol has a header of that name", async () => {
    const { recorded, url } = await startRecordingServer({})
    const headers = { 'X-Org-Route': 'prod', 'Vendor-Version': '1', Authorization: 'Bearer other' }
    const current = async () => credential('t', { headers })
    await sendRequest(connectionTo(url, { credentials: { current, renew: async () => undefined } }), get)
    expect(listOwnHeaders(recorded)).toEqual([
      {
        authorization: 'Bearer t',
        accept: 'application/json',
        'vendor-version': '2023-06-01',
        'x-org-route': 'prod',
      },
    ])
  })
})

describe('a credential that is refused', () => {
  const listCredentials = (recorded: readonly Recorded[]) => recorded.map(({ headers }) => headers.authorization)

  test('after a 401 the source is asked once for another credential, and the request repeated once', async () => {
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
    const failure = await sendRequest(connectionTo(url, {}, 'a', 'b', 'c'), get).catch((thrown) => thrown)
    expect({ failure, sent: listCredentials(recorded) }).toEqual({
      failure: new ApiError({
        status: 401,
        type: 'authentication_error',
        message: 'expired',
        requestId: 'req_1',
        workspace: 'not-named',
      }),
      sent: ['Bearer a', 'Bearer b'],
    })
  })

  test.each([403, 429, 500])('%i does not ask for another credential', async (status) => {
    const { recorded, url } = await startRecordingServer({ status })
    const failure = await sendRequest(connectionTo(url, {}, 'a', 'b'), get).catch((thrown) => thrown)
    expect({ failure, sent: listCredentials(recorded) }).toEqual({
      failure: toUndocumented(status),
      sent: ['Bearer a'],
    })
  })

  test('without another credential, the 401 is final', async () => {
    const { url } = await startRecordingServer({ status: 401, body: expired })
    await expect(sendRequest(connectionTo(url, {}, 'only'), get)).rejects.toEqual(
      new ApiError({
        status: 401,
        type: 'authentication_error',
        message: 'expired',
        requestId: 'req_1',
        workspace: 'not-named',
      }),
    )
  })
})

describe('addresses to which nothing is sent', () => {
  const plain = new HelperError(
    'refused',
    'api.example.com would be sent a secret over plain http',
    'write https://api.example.com as the address',
  )
  const unusable = new HelperError(
    'usage',
    'the address of the API is not a URL that can be used',
    'write it in full and without a name or password, such as https://api.example.com',
  )

  test.each<[baseUrl: string, error: HelperError]>([
    ['http://api.example.com', plain],
    ['ftp://api.example.com', unusable],
    ['https://user:pass@api.example.com', unusable],
    ['api.example.com', unusable],
    ['', unusable],
  ])('%j is refused before a helper is run', async (baseUrl, error) => {
    let asked = 0
    const current = async () => {
      asked += 1
      return credential('t')
    }
    const connection = connectionTo(baseUrl, { credentials: { current, renew: current } })
    const failure = await sendRequest(connection, get).catch((thrown) => thrown)
    expect({ failure, asked }).toEqual({ failure: error, asked: 0 })
  })

  test('a redirect is not followed', async () => {
    const elsewhere = await startRecordingServer({})
    const { url } = await startRecordingServer({ status: 307, headers: { location: elsewhere.url } })
    const failure = await sendRequest(connectionTo(url), get).catch((thrown) => thrown)
    expect({ failure, followed: elsewhere.recorded }).toEqual({ failure: toUndocumented(307), followed: [] })
  })
})

test('onExchange receives everything but the credential', async () => {
  const { url } = await startRecordingServer({ headers: { 'request-id': 'req_1' } })
  const seen: HttpExchange[] = []
  await sendRequest(connectionTo(url, { onExchange: (exchange) => seen.push(exchange) }, 'canary'), get)
  expect(seen).toEqual([
    {
      method: 'GET',
      url: `${url}/v1/organizations/workspaces`,
      sent: { accept: 'application/json', authorization: '[secret]', 'vendor-version': '2023-06-01' },
      status: 200,
      received: {
        connection: 'keep-alive',
        'content-type': 'application/json',
        date: expect.any(String),
        'keep-alive': expect.any(String),
        'request-id': 'req_1',
        'transfer-encoding': 'chunked',
      },
    },
  ])
})

test('a credential that a server repeats is hidden in the error', async () => {
  const body = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'bad token canary-1' },
    request_id: 'r',
  }
  const { url } = await startRecordingServer({ status: 400, body })
  await expect(sendRequest(connectionTo(url, {}, 'canary-1'), get)).rejects.toEqual(
    new ApiError({
      status: 400,
      type: 'invalid_request_error',
      message: 'bad token [secret]',
      requestId: 'r',
      workspace: 'not-named',
    }),
  )
})

describe('a secret that was sent and that a server repeats', () => {
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

  test('is hidden in the error', async () => {
    const problem = { error: { type: 'canary-of-token', message: words }, request_id: 'canary-of-body' }
    const { url } = await startRecordingServer({ status: 400, body: problem, headers: { 'request-id': 'req_1' } })
    await expect(sendRequest(connectionTo(url, { credentials: source('canary-of-token') }), request)).rejects.toEqual(
      new ApiError({ status: 400, type: undefined, message: hidden, requestId: 'req_1', workspace: 'not-named' }),
    )
  })

  test('is hidden in the headers that onExchange receives', async () => {
    const { url } = await startRecordingServer({ headers: { 'x-echo': words, 'x-other': 'fine' } })
    const seen: HttpExchange[] = []
    const onExchange = (exchange: HttpExchange) => seen.push(exchange)
    await sendRequest(connectionTo(url, { credentials: source('canary-of-token'), onExchange }), request)
    const [{ sent = {}, received = {} } = {}] = seen
    expect([sent['X-Team-Token'], sent['X-Route'], received['x-echo'], received['x-other']]).toEqual([
      '[secret]',
      'prod',
      hidden,
      'fine',
    ])
  })

  test('is hidden after the credential was renewed', async () => {
    const problem = (message: string) => ({
      status: 401,
      body: { error: { type: 'authentication_error', message } },
      headers: { 'x-echo': message },
    })
    const { url } = await startRecordingServer(problem('first'), problem('was old-canary, is new-token'))
    const seen: HttpExchange[] = []
    const onExchange = (exchange: HttpExchange) => seen.push(exchange)
    await expect(sendRequest(connectionTo(url, { onExchange }, 'old-canary', 'new-token'), get)).rejects.toEqual(
      new ApiError({
        status: 401,
        type: 'authentication_error',
        message: 'was [secret], is [secret]',
        requestId: undefined,
        workspace: 'not-named',
      }),
    )
    expect(seen.map(({ received }) => received['x-echo'])).toEqual(['first', 'was [secret], is [secret]'])
  })

  test('an endless error is described by its status', async () => {
    const { url } = await startRecordingServer({ status: 500, body: 'x'.repeat(2 * 1024 * 1024) })
    await expect(sendRequest(connectionTo(url), get)).rejects.toEqual(toUndocumented(500))
  })
})
