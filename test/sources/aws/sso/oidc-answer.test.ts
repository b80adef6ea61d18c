import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { SlowDownError, SsoRefusal, sendOidc, sendSso } from '../../../../src/sources/aws/sso/send-sso.ts'
import { startSsoBench } from './sso-bench.ts'

const service = 'AWS SSO in eu-central-1'

function send(status: number, headers: Record<string, string>, text: string): Promise<Record<string, unknown>> {
  const fetch = async () => new Response(text, { status, headers })
  const endpoints = { fips: false, dualStack: false, sts: 'regional', configured: {} } as const
  return sendOidc('CreateToken', {}, { call: {} as never, endpoints, region: 'eu-central-1', fetch })
}

test('a JSON object with HTTP 200 is the answer', async () => {
  expect(await send(200, {}, '{"accessToken":"a"}')).toEqual({ accessToken: 'a' })
})

const unavailable = (message: string, hint: string) => new HelperError('unavailable', `${service} ${message}`, hint)
const foreign = (what: string) =>
  unavailable(
    `answered with ${what}`,
    'find out what answers instead of AWS: a sign-in page of the network, or a proxy',
  )
const moment = 'try again in a moment'

test.each<[status: number, headers: Record<string, string>, text: string, failure: Error]>([
  [200, { 'content-type': 'text/html' }, '<html>', foreign('a web page (HTTP 200), which AWS never does')],
  [302, { location: 'https://portal.example' }, '', foreign('a redirect (HTTP 302), which AWS never does')],
  [200, {}, 'hello', foreign('something that is not an answer of AWS (HTTP 200)')],
  [403, {}, '{"error":1}', foreign('something that is not an answer of AWS (HTTP 403)')],
  [400, {}, '{"error":"invalid_grant","error_description":"canary"}', new SsoRefusal('invalid_grant')],
  [
    400,
    {},
    '{"error":"slow_down"}',
    new SlowDownError('unavailable', `${service} is busy (slow_down, HTTP 400)`, moment),
  ],
  [
    429,
    { 'x-amzn-errortype': 'TooManyRequestsException:http://x' },
    '',
    unavailable('is busy or broken (TooManyRequestsException, HTTP 429)', moment),
  ],
  [503, { 'x-amzn-errortype': 'canary canary' }, '<html>', unavailable('is busy or broken (HTTP 503)', moment)],
])('HTTP %s with %j and %s fails with %s', async (status, headers, text, failure) => {
  await expect(send(status, headers, text)).rejects.toEqual(failure)
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
])('the region %s is checked where nothing answers in it', async (region, message, hint) => {
  await using bench = await startSsoBench()
  bench.aws.failAlways('RegisterClient', { kind: 'reset' })
  const url = new URL('/client/register', bench.aws.url)
  const sending = sendSso(url, { method: 'POST', body: '{}' }, { call: bench.parts.call, region })
  await expect(sending).rejects.toEqual(new HelperError('unavailable', message, hint))
})
