import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sendTurn } from '../../../src/client/session/send-turn.ts'
import type { Turn } from '../../../src/client/session/turn.ts'
import type { Credential, Inference } from '../../../src/config/document.ts'
import { EndlessResponseError } from '../../../src/runtime/network/bounded-body.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { writeScriptedHelper } from '../launch/scripted-helper.ts'
import { startRecordingServer } from '../recording-server.ts'
import { clientEvents, startHelperClient, startTestClient } from './test-client.ts'
import { startTestGateway } from './test-gateway.ts'

const turn: Turn = {
  inference: { baseUrl: 'http://127.0.0.1:1' },
  credential: { token: new Secret('tok'), headers: {} },
  authScheme: 'bearer',
  text: 'x',
  startTimer: () => () => {},
}

/** Creates an answer that never stops sending blanks. */
function createBlanks(pause: () => Promise<void> | undefined): Response {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    await pause()
    controller.enqueue(Buffer.alloc(64, ' '))
  }
  const headers = { 'content-type': 'application/json' }
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers })
}

describe('a turn that no fresh token can rescue', () => {
  test.each<[status: number, lost: ReturnType<typeof clientEvents.lost>]>([
    [403, clientEvents.lost('forbidden', 'the gateway answered with HTTP 403')],
    [429, clientEvents.lost('gateway-error', 'the gateway answered with HTTP 429')],
    [500, clientEvents.lost('gateway-error', 'the gateway answered with HTTP 500')],
    [204, clientEvents.lost('gateway-error', 'the gateway answered with HTTP 204')],
  ])('because of HTTP %s runs no helper', async (status, lost) => {
    const { url } = await startRecordingServer({ status })
    const setup = await startHelperClient(url, [])
    await (await setup.client.startSession()).sendTurn('x')
    expect(setup.newEvents()).toEqual([
      ...clientEvents.sessionStart,
      clientEvents.reused(0),
      clientEvents.answered(status),
      lost,
    ])
  })

  test('because of a redirect, which is not followed, so that the token goes nowhere else', async () => {
    const elsewhere = await startRecordingServer()
    const { url } = await startRecordingServer({ status: 307, headers: { location: `${elsewhere.url}/v1/messages` } })
    const setup = await startHelperClient(url, [])
    await (await setup.client.startSession()).sendTurn('x')
    expect({ events: setup.newEvents().slice(-2), requests: elsewhere.requests }).toEqual({
      events: [clientEvents.answered(307), clientEvents.lost('gateway-error', 'the gateway answered with HTTP 307')],
      requests: [],
    })
  })

  test('because nobody answers', async () => {
    const gateway = await startTestGateway()
    await gateway.close()
    const setup = await startHelperClient(gateway.url, [])
    await (await setup.client.startSession()).sendTurn('x')
    expect(setup.newEvents().slice(-1)).toEqual([clientEvents.lost('unreachable', 'the gateway cannot be reached')])
  })

  test('because the answer is endless blanks', async () => {
    const fetch = () => Promise.resolve(createBlanks(() => undefined))
    expect(await sendTurn({ ...turn, fetch })).toEqual({
      reason: 'endless',
      error: new EndlessResponseError(
        'unavailable',
        '127.0.0.1:1 answered HTTP 200 (application/json) with more than 1024 KiB',
        'check that baseUrl is the address of the API itself, and find out what answers there',
      ),
    })
  })

  test('because the answer comes drop by drop without an end', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const drop = () => new Promise<void>((next) => setTimeout(next, 300))
    const answer = sendTurn({ ...turn, fetch: () => Promise.resolve(createBlanks(drop)) })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(await answer).toEqual({
      reason: 'endless',
      error: new EndlessResponseError(
        'unavailable',
        '127.0.0.1:1 answered HTTP 200 (application/json) and had not finished after 120 s: 25536 bytes so far',
        'check that baseUrl is the address of the API itself, and find out what answers there',
      ),
    })
  })

  test('because of a defect is thrown', async () => {
    const defect = new TypeError('x')
    await expect(sendTurn({ ...turn, fetch: () => Promise.reject(defect) })).rejects.toBe(defect)
  })

  test.each<[what: string, stdout: string, inference: Inference]>([
    ['a token with a letter that HTTP has no byte for', 'tok–en', {}],
    ['a token with a control character', 'tok\x07en', {}],
    ['a header name with a space', 'tok', { customHeaders: { 'X A': '1' } }],
    ['a header value with a line break', 'tok', { customHeaders: { 'X-A': 'a\nb' } }],
  ])('because of %s, and nothing is sent', async (_, stdout, inference) => {
    const { url, requests } = await startRecordingServer()
    const { credential } = await writeScriptedHelper({ stdout })
    const { client, newEvents } = startTestClient(url, credential, inference)
    await (await client.startSession()).sendTurn('x')
    expect(newEvents().at(-1)).toEqual(
      clientEvents.lost('unsendable', 'the token or a header holds characters that HTTP cannot carry'),
    )
    expect(requests).toEqual([])
  })
})

describe('a turn', () => {
  async function headersOf(credential: Credential, inference: Inference = {}) {
    const { url, requests } = await startRecordingServer()
    await (await startTestClient(url, credential, inference).client.startSession()).sendTurn('x')
    return requests[0]?.headers
  }

  const always = { 'vendor-version': '2023-06-01', 'content-type': 'application/json' }

  test.each(['', '/', '//', '/tenant/a', '/tenant/a/'])(
    'goes to the Messages API under a baseUrl that ends in %j',
    async (ending) => {
      const { url, requests } = await startRecordingServer()
      const { client } = startTestClient(url + ending, { kind: 'static', apiKey: 'key' })
      await (await client.startSession()).sendTurn('Hello?')
      expect(requests).toEqual([
        {
          method: 'POST',
          url: `${ending.replace(/\/+$/, '')}/v1/messages`,
          headers: { ...always, authorization: 'Bearer key' },
          body: { model: 'default', max_tokens: 256, stream: true, messages: [{ role: 'user', content: 'Hello?' }] },
        },
      ])
    },
  )

  test('prefers headers of the helper to customHeaders, without regard to case', async () => {
    const { credential } = await writeScriptedHelper({
      stdout: '{"token":"tok","headers":{"x-team":"helper","X-Own":"1"}}',
    })
    const customHeaders = { 'X-Team': 'document', 'X-Organization': 'example' }
    expect(await headersOf(credential, { customHeaders })).toEqual({
      ...always,
      authorization: 'Bearer tok',
      'x-team': 'helper',
      'x-own': '1',
      'x-organization': 'example',
    })
  })

  test('takes from customHeaders none of the headers that the client sends itself', async () => {
    const customHeaders = { Authorization: 'Bearer other', 'Vendor-Version': '1', 'Content-Type': 'text/plain' }
    expect(await headersOf({ kind: 'static', apiKey: 'key' }, { customHeaders })).toEqual({
      ...always,
      authorization: 'Bearer key',
    })
  })

  test('has the names of its headers, but not their values, in clientEvents', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [{ stdout: '{"token":"t","headers":{"X-A":"canary","X-B":"canary"}}' }])
    await setup.client.startSession()
    expect(setup.newEvents().at(-1)).toEqual(clientEvents.printed({ headerNames: ['X-A', 'X-B'] }))
  })

  test.each([
    ['bearer', { authorization: 'Bearer tok' }],
    ['x-api-key', { 'x-api-key': 'tok' }],
  ] as const)('has the token as authScheme %s says', async (authScheme, headers) => {
    const { credential } = await writeScriptedHelper({ stdout: 'tok' })
    expect(await headersOf({ ...credential, authScheme })).toEqual({ ...always, ...headers })
    expect(await headersOf({ kind: 'static', apiKey: 'tok', authScheme })).toEqual({ ...always, ...headers })
  })
})
