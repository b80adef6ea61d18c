import { performance } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { createFaults, parseFault } from '../../../src/gateway/http/faults.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { message, refusal, startStage } from '../stage.ts'

async function start(...faults: string[]) {
  const stage = await startStage({ faults: faults.map(parseFault) })
  const post = () => stage.send('POST', '/v1/messages', { as: stage.seed.keys.personal.secret, body: message })
  return { ...stage, post }
}

describe('a fault on demand', () => {
  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [405, 'invalid_request_error'],
    [413, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [503, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('%i %s is answered once', async (status, type) => {
    const { post } = await start(`POST /v1/messages ${status} once`)
    const [first, second] = [await post(), await post()]
    expect([refusal(first), second.status]).toEqual([`${status} ${type}: this is a fault on demand`, 200])
  })

  test('429 with Retry-After is answered three times', async () => {
    const { post } = await start('POST /v1/messages 429 retry-after=7 3 times')
    const answers = [await post(), await post(), await post(), await post()]
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 200])
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['7', '7', '7', null])
  })

  test('slow delays the normal answer', async () => {
    const { post } = await start('POST /v1/messages slow 300ms once')
    const before = performance.now()
    const { status } = await post()
    expect({ status, isLate: performance.now() - before > 290 }).toEqual({ status: 200, isLate: true })
  })

  test('reset ends the connection, but not the gateway', async () => {
    const { post } = await start('POST /v1/messages reset once')
    const code = await post().catch(({ cause }) => cause.code)
    const isReset = ['ECONNRESET', 'UND_ERR_SOCKET'].includes(code)
    expect({ code, isReset, status: (await post()).status }).toEqual({ code, isReset: true, status: 200 })
  })

  test('reset leaves no status in the record', async () => {
    const { post, records } = await start('POST /v1/messages reset once')
    await post().catch(() => {})
    await post()
    expect(records.map(({ status, reason }) => [status, reason])).toEqual([
      ['reset', 'fault'],
      [200, undefined],
    ])
  })

  test.each([
    ['* * 503', 'PUT', '/any', true],
    ['* * 503', 'GET', '/a\nb', true],
    ['GET * 503', 'POST', '/any', false],
    ['* */resources 503', 'GET', '/v1/sessions/a/resources', true],
    ['* */resources 503', 'GET', '/v1/messages', false],
    ['POST /v1/* 503', 'POST', '/v1/messages', true],
    ['POST /v1/* 503', 'POST', '/v2/messages', false],
  ])('of the form %s answers %s %j: %s', (text, method, path, isHit) => {
    expect(createFaults([parseFault(text)])(method, path) !== undefined).toBe(isHit)
  })

  test('is for the requests that it names and no others', () => {
    const take = createFaults([parseFault('GET /v1/sessions/*/resources 500'), parseFault('* /v1/messages 401 once')])
    const hits = [
      take('GET', '/v1/sessions/a/resources'),
      take('GET', '/v1/sessions/a/resources/b'),
      take('POST', '/v1/sessions/a/resources'),
      take('GET', '/v1/sessions/b/resources'),
      take('GET', '/v1/messages'),
      take('POST', '/v1/messages'),
      take('POST', '/v1xmessages'),
    ]
    expect(hits.map((hit) => hit && 'status' in hit.effect && hit.effect.status)).toEqual([
      500,
      undefined,
      undefined,
      500,
      401,
      undefined,
      undefined,
    ])
  })

  test.each([
    '',
    'POST /v1/messages',
    'POST /v1/messages 418',
    'POST /v1/messages 401 twice',
    'POST /v1/messages 401 0 times',
    'POST v1/messages 401',
    'post /v1/messages 401',
    'POST /v1/messages slow',
    'POST /v1/messages slow 2m',
    'POST /v1/messages reset retry-after=1',
  ])('%j is not a fault', (text) => {
    expect(() => parseFault(text)).toThrow(
      new HelperError(
        'usage',
        `"${text}" is not a fault`,
        'write METHOD PATH, then a status (400, 401, 403, 404, 405, 413, 429, 500, 503, 504, 529), "429 retry-after=2", "slow 2s", "reset" or "pings 5s", then optionally "once" or "3 times"',
      ),
    )
  })
})
