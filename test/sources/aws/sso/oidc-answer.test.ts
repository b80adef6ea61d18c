import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { OidcRefusal, parseOidcAnswer, sendSso } from '../../../../src/sources/aws/sso/send-sso.ts'
import { startSsoBench } from './sso-bench.ts'

const service = 'AWS SSO in eu-central-1'

test.each<[status: number, headers: Record<string, string>, text: string, expected: unknown]>([
  [200, {}, '{"accessToken":"a"}', { accessToken: 'a' }],
  [
    200,
    { 'content-type': 'text/html' },
    '<html>',
    `${service} answered with a web page (HTTP 200), which AWS never does`,
  ],
  [
    302,
    { location: 'https://portal.example' },
    '',
    `${service} answered with a redirect (HTTP 302), which AWS never does`,
  ],
  [200, {}, 'hello', `${service} answered with something that is not an answer of AWS (HTTP 200)`],
  [403, {}, '{"error":1}', `${service} answered with something that is not an answer of AWS (HTTP 403)`],
  [400, {}, '{"error":"invalid_grant","error_description":"canary"}', 'invalid_grant refused'],
  [400, {}, '{"error":"slow_down"}', `${service} is busy (slow_down, HTTP 400)`],
  [
    429,
    { 'x-amzn-errortype': 'TooManyRequestsException:http://x' },
    '',
    `${service} is busy or broken (TooManyRequestsException, HTTP 429)`,
  ],
  [503, { 'x-amzn-errortype': 'canary canary' }, '<html>', `${service} is busy or broken (HTTP 503)`],
])('HTTP %s with %j and %s is read as %j', (status, headers, text, expected) => {
  const attempt = () => {
    try {
      return parseOidcAnswer({ status, headers: new Headers(headers), text }, service)
    } catch (error) {
      if (error instanceof OidcRefusal) return `${error.code} refused`
      if (!(error instanceof HelperError)) throw error
      expect(error.kind).toBe('unavailable')
      return error.message
    }
  }
  expect(attempt()).toEqual(expected)
})

test.each([
  [
    'eu-central-1',
    'AWS SSO in eu-central-1 cannot be reached (ECONNRESET)',
    'check the network, the VPN and the proxy',
  ],
  [
    'eu-centrall-1',
    'AWS SSO in eu-centrall-1 cannot be reached (ECONNRESET); AWS has no region "eu-centrall-1" that this version knows; unless it is a new one, no token will work there: did you mean eu-central-1?',
    'correct sso_region beside sso_start_url',
  ],
])('where nothing answers in %s, the region is looked at', async (region, message, hint) => {
  await using bench = await startSsoBench()
  bench.aws.failAlways('RegisterClient', { kind: 'reset' })
  const url = new URL('/client/register', bench.aws.url)
  const sending = sendSso(url, { method: 'POST', body: '{}' }, { call: bench.parts.call, region })
  await expect(sending).rejects.toEqual(new HelperError('unavailable', message, hint))
})
