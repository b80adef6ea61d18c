import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import { exchangeToken } from '../../src/api/token-exchange.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../src/runtime/network/settings.ts'
import { Secret } from '../../src/runtime/secret.ts'
import { startRecordingServer } from './recording-server.ts'

const request = { assertion: new Secret('a.b.c'), federationRuleId: 'fdrl_1', organizationId: 'org_1' }
const way = {
  network: toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {}),
  signal: new AbortController().signal,
  report: () => {},
}
const good = { access_token: 'token', token_type: 'Bearer', expires_in: 3600 }

describe('Workload token exchange', () => {
  test('sends grant, assertion, rule and organization as JSON without a credential', async () => {
    const { recorded, url } = await startRecordingServer({ body: good })
    await exchangeToken(request, { baseUrl: url, ...way })
    const { method, path, headers, body } = recorded[0]!
    expect({
      method,
      path,
      type: headers['content-type'],
      refused: Object.keys(headers).filter((name) => /^(authorization|x-api-key|vendor-)/.test(name)),
      body: JSON.parse(body),
    }).toEqual({
      method: 'POST',
      path: '/v1/oauth/token',
      type: 'application/json',
      refused: [],
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: 'a.b.c',
        federation_rule_id: 'fdrl_1',
        organization_id: 'org_1',
      },
    })
  })

  test('names service account and workspace if they are given', async () => {
    const { recorded, url } = await startRecordingServer({ body: good })
    await exchangeToken(
      { ...request, serviceAccountId: 'svac_1', workspaceId: 'wrkspc_1' },
      { baseUrl: `${url}/`, ...way },
    )
    expect(JSON.parse(recorded[0]!.body)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'a.b.c',
      federation_rule_id: 'fdrl_1',
      organization_id: 'org_1',
      service_account_id: 'svac_1',
      workspace_id: 'wrkspc_1',
    })
  })

  test.each([
    ['{"error":"invalid_grant","error_description":"canary a.b.c"}', 'invalid_grant', 'req_h'],
    [
      '{"type":"error","error":{"type":"authentication_error","message":"canary"},"request_id":"req_b"}',
      'authentication_error',
      'req_b',
    ],
    ['<html>canary</html>', undefined, 'req_h'],
  ])('a refusal has status, code and request id without the body: %s', async (body, type, requestId) => {
    const { recorded, url } = await startRecordingServer({ status: 400, body, headers: { 'request-id': 'req_h' } })
    const failure = await exchangeToken(request, { baseUrl: url, ...way }).catch((thrown) => thrown)
    const message = 'the identity token was not exchanged'
    expect({ failure, requests: recorded.length }).toEqual({
      failure: new ApiError({ status: 400, type, message, requestId, workspace: 'not-named' }),
      requests: 1,
    })
  })

  test.each([
    [408, 'send it again: the request did not arrive completely in time'],
    [429, 'wait, then send it again; send less at a time'],
    [500, 'send it again later; if it still fails, report the request id to the platform'],
    [503, 'send it again later; if it still fails, report the request id to the platform'],
  ])('HTTP %i is reported after a single attempt', async (status, hint) => {
    const busy = { status, headers: { 'retry-after': '0' }, body: {} }
    const { recorded, url } = await startRecordingServer(busy, { body: good })
    const answers: number[] = []
    const onAnswer = (answer: Response) => void answers.push(answer.status)
    const failure = await exchangeToken(request, { baseUrl: url, ...way, onAnswer }).catch(({ message, hint }) => ({
      message,
      hint,
    }))
    expect({ failure, requests: recorded.length, answers }).toEqual({
      failure: { message: `HTTP ${status}: the identity token was not exchanged`, hint },
      requests: 1,
      answers: [status],
    })
  })

  test('an assertion of more than 16 KiB is not sent', async () => {
    const { recorded, url } = await startRecordingServer()
    const assertion = new Secret('a'.repeat(16 * 1024 + 1))
    await expect(exchangeToken({ ...request, assertion }, { baseUrl: url, ...way })).rejects.toEqual(
      new HelperError(
        'refused',
        'assertion is longer than 16384 bytes',
        'ask the identity provider for fewer claims in the token, such as group lists',
      ),
    )
    expect(recorded).toEqual([])
  })

  test('is not sent over plain http beyond loopback', async () => {
    await expect(exchangeToken(request, { baseUrl: 'http://api.example.com', ...way })).rejects.toEqual(
      new HelperError(
        'refused',
        'api.example.com would be sent a secret over plain http',
        'write https://api.example.com as the address',
      ),
    )
  })

  test('does not follow a redirect', async () => {
    const elsewhere = await startRecordingServer({ body: good })
    const { url } = await startRecordingServer({ status: 308, headers: { location: elsewhere.url } })
    const failure = await exchangeToken(request, { baseUrl: url, ...way }).catch(({ message, hint }) => ({
      message,
      hint,
    }))
    expect({ failure, followed: elsewhere.recorded }).toEqual({
      failure: {
        message: 'HTTP 308: the identity token was not exchanged',
        hint: "set the API's own address: this one redirects, and redirects are not followed with a credential",
      },
      followed: [],
    })
  })
})

describe('the answer of an exchange', () => {
  const exchange = async (body: unknown) => {
    const { url } = await startRecordingServer({ body })
    return exchangeToken(request, { baseUrl: url, ...way })
  }
  const unusable = (problem: string) =>
    new HelperError(
      'unavailable',
      `the platform's answer to the token exchange cannot be used: ${problem}`,
      "check that the address is the API's, and not that of a web page or a proxy in front of it",
    )

  test.each<[what: string, change: object, life: number]>([
    ['as it is', {}, 3600],
    ['token_type in another case', { token_type: 'bearer' }, 3600],
    ['expires_in as text', { expires_in: '900' }, 900],
    ['no expires_in', { expires_in: undefined }, 3600],
    ['60 s', { expires_in: 60 }, 60],
    ['86 400 s', { expires_in: 86_400 }, 86_400],
    ['a refresh token, which is not kept', { refresh_token: 'r' }, 3600],
  ])('is read with %s', async (_, change, expiresInSec) => {
    const { token, ...rest } = await exchange({ ...good, ...change, scope: 's' })
    expect([token.reveal(), rest]).toEqual(['token', { expiresInSec, scope: 's' }])
  })

  test.each<[field: string, change: object]>([
    ['access_token', { access_token: undefined }],
    ['access_token', { access_token: '' }],
    ['access_token', { access_token: 'two words' }],
    ['access_token', { access_token: 'line\nbreak' }],
    ['token_type', { token_type: 'DPoP' }],
    ['token_type', { token_type: undefined }],
    ['expires_in', { expires_in: 59 }],
    ['expires_in', { expires_in: 86_401 }],
    ['expires_in', { expires_in: '1e3' }],
    ['expires_in', { expires_in: true }],
  ])('%s of another kind is refused: %j', async (field, change) => {
    await expect(exchange({ ...good, ...change })).rejects.toEqual(unusable(`${field} is not as expected`))
  })

  test.each(['', 'null', '[]', '"token"', '<html>'])('%j is not an answer', async (text) => {
    await expect(exchange(text)).rejects.toEqual(unusable('it is not a JSON object'))
  })
})
