import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { createRetryingFetch } from '../../../src/runtime/network/retrying-fetch.ts'

const soon = { 'retry-after': '0' }

/** Sends one request whose outcomes come in this order, the last one for ever; how often it was sent, and the end of it. */
async function send(method: string | undefined, outcomes: readonly (Response | HelperError)[], longestPauseSec = 1) {
  const sent: string[] = []
  const fetch = createRetryingFetch(async (url, init) => {
    const outcome = outcomes[Math.min(sent.length, outcomes.length - 1)]!
    sent.push(`${init.method ?? 'GET'} ${url}`)
    if (outcome instanceof HelperError) throw outcome
    return outcome
  }, longestPauseSec)
  const ended = await fetch('https://api.example', method === undefined ? {} : { method }).then(
    ({ status }) => status,
    ({ message }) => message,
  )
  return { times: sent.length, ended }
}

const answer = (status: number, headers = {}) => new Response('x', { status, headers })
const unreachable = new HelperError('unavailable', 'cannot be reached', 'h', { cause: { code: 'ECONNREFUSED' } })
const broken = new HelperError('unavailable', 'was reset', 'h', { cause: { code: 'ECONNRESET' } })
const untrusted = new HelperError('unavailable', 'is not trusted', 'h', { cause: { code: 'CERT_HAS_EXPIRED' } })

test.each<[what: string, method: string | undefined, outcomes: (Response | HelperError)[], expected: object]>([
  ['an answer', 'GET', [answer(200)], { times: 1, ended: 200 }],
  ['a refusal', 'GET', [answer(403)], { times: 1, ended: 403 }],
  ['a busy server', undefined, [answer(503, soon), answer(200)], { times: 2, ended: 200 }],
  ['a server that stays busy', 'GET', [answer(503, soon)], { times: 3, ended: 503 }],
  ['a server that may have acted', 'POST', [answer(500, soon)], { times: 1, ended: 500 }],
  [
    'a server that may have acted, and does not say when to come again',
    'POST',
    [answer(503)],
    { times: 1, ended: 503 },
  ],
  ['one that does', 'POST', [answer(503, soon), answer(201)], { times: 2, ended: 201 }],
  ['an overloaded one', 'POST', [answer(529, soon), answer(201)], { times: 2, ended: 201 }],
  ['an overloaded one that does not', 'PATCH', [answer(529)], { times: 1, ended: 529 }],
  ['a server that counts requests', 'POST', [answer(429, soon), answer(201)], { times: 2, ended: 201 }],
  ['a connection that may have carried a request', 'POST', [broken, answer(201)], { times: 1, ended: 'was reset' }],
  ['a connection that may have carried a question', 'get', [broken, answer(200)], { times: 2, ended: 200 }],
  ['a pause as long as is allowed', 'GET', [answer(503, { 'retry-after': '2' })], { times: 1, ended: 503 }],
  ['a certificate', 'GET', [untrusted], { times: 1, ended: 'is not trusted' }],
  ['nobody and then somebody', 'POST', [unreachable, answer(200)], { times: 2, ended: 200 }],
])('meets %s with as many attempts as it allows', async (_, method, outcomes, expected) => {
  expect(await send(method, outcomes)).toEqual(expected)
})

test('the longest pause that is allowed is made, and a longer one is not', async () => {
  expect(await send('GET', [answer(503, soon), answer(200)], 0)).toEqual({ times: 2, ended: 200 })
  expect(await send('GET', [answer(503, { 'retry-after': '1' }), answer(200)], 0)).toEqual({ times: 1, ended: 503 })
})

test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('%s may be repeated after any outcome', async (method) => {
  expect(await send(method, [answer(500, soon), answer(200)])).toEqual({ times: 2, ended: 200 })
})

test('the body of an unused answer is dropped, so that its connection closes', async () => {
  let isCancelled = false
  const body = new ReadableStream({
    cancel: () => {
      isCancelled = true
    },
  })
  await send('GET', [new Response(body, { status: 503, headers: soon }), answer(200)])
  expect(isCancelled).toBe(true)
})

test('a defect is not retried', async () => {
  let times = 0
  const fetch = createRetryingFetch(() => {
    times += 1
    return Promise.reject(new TypeError('x'))
  }, 1)
  await expect(fetch('https://api.example', {})).rejects.toThrow(TypeError)
  expect(times).toBe(1)
})
