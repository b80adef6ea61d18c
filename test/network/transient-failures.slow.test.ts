import { describe, expect, test } from 'vitest'
import { readToken } from '../helpers/aws-bedrock-token/read-token.ts'
import { inMinutes, signInToSso } from '../helpers/aws-bedrock-token/sign-in.ts'
import { failure, program, role, startWorkbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { ageEntry } from '../setup/age-entry.ts'
import { prints } from '../setup/run-program.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { type Behaviour, type Front, startFront } from '../stand-ins/front/front.ts'
import { startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { host, region, startRoleBench, startSite } from './site.ts'

const body = '<ErrorResponse><Error><Code>CODE</Code><Message>canary</Message></Error></ErrorResponse>'
const answer = (status: number, code: string, headers: Record<string, string> = {}): Behaviour => ({
  status,
  headers: { 'content-type': 'text/xml', ...headers },
  body: body.replace('CODE', code),
})

/** A token of a role, whose life is longer than the client keeps it only if `--client-ttl` says so. */
const argv = ['--profile', 'build', '--lifetime', '3600']

async function startDesk() {
  const bench = await startRoleBench()
  const front = await startFront(bench.aws.url)
  return {
    bench,
    front,
    run: (env: Record<string, string> = {}, more: readonly string[] = []) =>
      bench.run({ argv: [...argv, ...more], env: { AWS_ENDPOINT_URL_STS: front.url, ...env } }),
    [Symbol.asyncDispose]: async () => {
      await front[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

const brief: [name: string, behaviour: Behaviour, words: string][] = [
  ['500', answer(500, 'InternalFailure'), 'is busy or broken (InternalFailure, HTTP 500)'],
  ['503', answer(503, 'ServiceUnavailable'), 'is busy or broken (ServiceUnavailable, HTTP 503)'],
  ['429', answer(429, 'TooManyRequests'), 'is busy or broken (TooManyRequests, HTTP 429)'],
  ['408', answer(408, 'RequestTimeout'), 'is busy or broken (RequestTimeout, HTTP 408)'],
  ['throttling', answer(400, 'Throttling'), 'is busy or broken (Throttling, HTTP 400)'],
  ['a reset connection', 'reset', 'cannot be reached (ECONNRESET)'],
  ['a truncated body', 'truncate', 'cannot be reached (ECONNRESET)'],
]

describe.each(brief)('%s', (_, behaviour, words) => {
  const hint = words.startsWith('is busy') ? 'try again in a moment' : 'check the network, the VPN and the proxy'
  const reported = failure(6, `AWS STS in ${region} ${words}`, hint)

  test('is asked again, and a second answer is the token', async () => {
    await using desk = await startDesk()
    desk.front.behave(behaviour, 'forward')
    readToken(await desk.run())
    expect(desk.front.requests).toBe(2)
  })

  test('that lasts is reported as it is, after three requests', async () => {
    await using desk = await startDesk()
    desk.front.behave(behaviour)
    expect(await desk.run()).toEqual(reported)
    expect(desk.front.requests).toBe(3)
  })

  test('that lasts is answered with the last token and one warning, but not in mid-session-refresh', async () => {
    await using desk = await startDesk()
    const { text } = readToken(await desk.run())
    await ageEntry(desk.bench)
    desk.front.behave(behaviour)
    expect(toStableValue(await desk.run(), { [text]: 'LAST' })).toEqual({
      status: 0,
      stdout: '{"token":"LAST"}\n',
      stderr: `${program}: warning: AWS STS in ${region} ${words}; serving the last token, which is good until DATE\n`,
    })
    const refresh = await desk.run({ VENDOR_HELPER_CONTEXT: 'mid-session-refresh' })
    expect(refresh).toEqual(reported)
  })
})

const lastToken = (code: string) =>
  `${program}: warning: AWS STS in ${region} cannot be reached (${code}); serving the last token, which is good until DATE\n`

test('where nobody listens any more, the last token is served', async () => {
  await using desk = await startDesk()
  const { text } = readToken(await desk.run())
  await ageEntry(desk.bench)
  await desk.front[Symbol.asyncDispose]()
  const outcome = await desk.run()
  expect(toStableValue(outcome, { [text]: 'LAST' })).toEqual(prints('{"token":"LAST"}\n', lastToken('ECONNREFUSED')))
})

test('where nobody knows the name any more, the last token is served', async () => {
  await using site = await startSite()
  await using proxy = await startForwardProxy({ routes: { [`${host}:443`]: site.front.port } })
  const env = { AWS_ENDPOINT_URL_STS: `https://${host}`, AWS_CA_BUNDLE: site.caPath }
  const { text } = readToken(await site.run({ argv, env: { ...env, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } }))
  await ageEntry(site.bench)
  const outcome = await site.run({ argv, env })
  expect(toStableValue(outcome, { [text]: 'LAST' })).toEqual(prints('{"token":"LAST"}\n', lastToken('NO-ADDRESS')))
})

describe('Retry-After', () => {
  test('takes precedence over the usual pause, and over the limit of the SDK', async () => {
    await using desk = await startDesk()
    desk.front.behave(answer(503, 'ServiceUnavailable', { 'retry-after': '7' }), 'forward')
    const begin = Date.now()
    readToken(await desk.run())
    expect({ waited: Date.now() - begin >= 7_000, requests: desk.front.requests }).toEqual({
      waited: true,
      requests: 2,
    })
  })

  test('beyond the deadline is not waited for', async () => {
    await using desk = await startDesk()
    desk.front.behave(answer(503, 'ServiceUnavailable', { 'retry-after': '60' }))
    const begin = Date.now()
    expect(await desk.run()).toEqual(
      failure(6, `AWS STS in ${region} is busy or broken (ServiceUnavailable, HTTP 503)`, 'try again in a moment'),
    )
    expect({ atOnce: Date.now() - begin < 5_000, requests: desk.front.requests }).toEqual({ atOnce: true, requests: 1 })
  })
})

describe('AWS STS is asked once where it answers', () => {
  const trust = `have the trust policy of ${role} and the policies of this identity allow sts:AssumeRole, or correct role_arn`
  const keys = 'put current keys into profile "dev" of HOME/.aws/credentials'
  test.each<[code: string, httpStatus: number, status: number, why: string, hint: string]>([
    ['AccessDenied', 403, 5, '', trust],
    ['InvalidClientTokenId', 403, 5, ': the access key does not exist, or no longer exists', keys],
    ['ExpiredToken', 403, 4, ': the credentials used to assume it expired', keys],
    ['Unauthorized', 401, 5, '', trust],
  ])('%s, and the last token is not served', async (code, httpStatus, status, why, hint) => {
    await using desk = await startDesk()
    readToken(await desk.run())
    await ageEntry(desk.bench)
    desk.front.behave(answer(httpStatus, code))
    const message = `AWS STS refused the role ${role} of profile "build": ${code}${why}`
    expect(await desk.run()).toEqual(failure(status, message, hint.replace('HOME', desk.bench.home)))
    expect(desk.front.requests).toBe(2)
  })
})

describe('the error names an answer that AWS does not give, such as', () => {
  const expectForeign = async (front: Front, run: () => Promise<unknown>, what: string) => {
    expect(await run()).toEqual(
      failure(
        6,
        `127.0.0.1 answered with ${what}, which AWS never does`,
        'find out what answers instead of AWS: a sign-in page of the network, or a proxy',
      ),
    )
    expect(front.requests).toBe(1)
  }

  test('a redirect, which is not followed', async () => {
    await using desk = await startDesk()
    await using elsewhere = await startFront(desk.bench.aws.url)
    for (const status of [301, 302, 307, 308]) {
      await using front = await startFront(desk.bench.aws.url)
      front.behave({ status, headers: { location: elsewhere.url } })
      const run = () => desk.run({ AWS_ENDPOINT_URL_STS: front.url })
      await expectForeign(front, run, `a redirect (HTTP ${status})`)
    }
    expect(elsewhere.requests).toBe(0)
  })

  test.each([200, 403])('a web page with status %d', async (status) => {
    await using desk = await startDesk()
    desk.front.behave({ status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Welcome' })
    await expectForeign(desk.front, desk.run, `a web page (HTTP ${status})`)
  })

  test('a body without end', async () => {
    await using desk = await startDesk()
    desk.front.behave('endless')
    expect(await desk.run()).toEqual(
      failure(6, '127.0.0.1 answered with more than 1024 KiB', 'find out what answers in place of 127.0.0.1'),
    )
  })

  test('a body of another type', async () => {
    await using desk = await startDesk()
    desk.front.behave({ status: 200, headers: { 'content-type': 'text/xml' }, body: 'canary <' })
    expect(await desk.run()).toEqual(
      failure(
        6,
        `AWS STS in ${region} answered with something that is not an answer of AWS (HTTP 200)`,
        'find out what answers instead of AWS: a sign-in page of the network, or a proxy',
      ),
    )
  })
})

describe('a sign-in that cannot be renewed because', () => {
  test.each<[behaviour: Behaviour, words: string]>([
    ['reset', 'cannot be reached (ECONNRESET)'],
    ['truncate', 'cannot be reached (ECONNRESET)'],
    [answer(503, 'ServiceUnavailable'), 'is busy or broken (HTTP 503)'],
  ])('of %j is not reported as a sign-in that has ended', async (behaviour, words) => {
    await using bench = await startWorkbench()
    await using front = await startFront(bench.aws.url)
    await signInToSso(bench, { expiresAt: inMinutes(-5), refreshToken: 'canary-refresh' })
    front.behave(behaviour)
    const { status, stderr } = await bench.run({
      argv: ['--profile', 'dev'],
      env: { AWS_ENDPOINT_URL_SSO_OIDC: front.url },
    })
    expect({ status, stderr: stderr.split('\n')[0] }).toEqual({
      status: 6,
      stderr: `${program}: AWS SSO in us-west-2 ${words}`,
    })
  })
})
