import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { audience, issuer } from '../../stand-ins/identity/identity-provider.ts'
import { type EndpointAnswer, granted, startTokenEndpoint } from '../../stand-ins/identity/token-endpoint.ts'
import { failure, program, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Exchanges tokens of a source at an endpoint that answers as scripted. */
async function startExchange(source: 'url' | 'file') {
  const bench = await startWorkbench()
  const endpoint = await startTokenEndpoint()
  const target = ['--base-url', endpoint.url, '--organization', 'org_1', '--federation-rule', 'fdrl_1']
  const argv = source === 'url' ? urlArguments(bench) : await fileArguments(bench)
  const env = bench.services.environment('url')
  return {
    bench,
    endpoint,
    source,
    run: (...more: string[]) => bench.run({ argv: [...target, ...argv, '--cache', 'none', ...more], env }),
    [Symbol.asyncDispose]: async () => {
      await endpoint[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

type Stage = Awaited<ReturnType<typeof startExchange>>

function urlArguments({ services }: Workbench): string[] {
  return ['--identity', 'url', '--identity-url', `${services.url}/identity`, '--identity-headers-variable', 'HEADERS']
}

async function fileArguments(bench: Workbench): Promise<string[]> {
  return ['--identity', 'file', '--identity-file', await bench.writeToken(await bench.provider.sign())]
}

describe('the request', () => {
  test('holds only the members of the exchange', async () => {
    await using stage = await startExchange('url')
    expect(tokenOf(await stage.run())).toBe(granted.access_token)
    expect(toStableValue(stage.endpoint.requests)).toEqual([
      {
        line: 'POST /v1/oauth/token',
        headers: {
          accept: 'application/json',
          connection: 'close',
          'content-length': '500',
          'content-type': 'application/json',
          host: '127.0.0.1:PORT',
        },
        body: {
          grant_type: grant,
          assertion: 'JWT',
          federation_rule_id: 'fdrl_1',
          organization_id: 'org_1',
        },
      },
    ])
  })

  test('chooses account and workspace without a header', async () => {
    await using stage = await startExchange('url')
    const outcome = await stage.run('--service-account', 'svac_1', '--workspace', 'wrkspc_1')
    const [request] = stage.endpoint.requests
    expect({
      document: JSON.parse(outcome.stdout),
      body: { ...request?.body, assertion: typeof request?.body.assertion },
      headers: Object.keys(request?.headers ?? {}).filter((name) => /workspace|authorization/.test(name)),
    }).toEqual({
      document: { token: granted.access_token },
      body: {
        grant_type: grant,
        assertion: 'string',
        federation_rule_id: 'fdrl_1',
        organization_id: 'org_1',
        service_account_id: 'svac_1',
        workspace_id: 'wrkspc_1',
      },
      headers: [],
    })
  })

  test('is sent below a base URL with a path, with or without a slash at its end', async () => {
    await using stage = await startExchange('url')
    for (const base of ['/api', '/api/']) await stage.run('--base-url', `${stage.endpoint.url}${base}`)
    expect(stage.endpoint.requests.map(({ line }) => line)).toEqual(Array(2).fill('POST /api/v1/oauth/token'))
  })

  test.each(['vendor-workspace-id: w', 'Vendor-Workspace-Id : w'])('a header %j is refused', async (header) => {
    await using stage = await startExchange('url')
    expect({ ...(await stage.run('--header', header)), sent: stage.endpoint.requests.length }).toEqual({
      ...failure(
        2,
        'header: "vendor-workspace-id" is not for this token, whose workspace is chosen when it is exchanged',
        'set the option workspace instead',
      ),
      sent: 0,
    })
  })

  test('is not sent over plain http, and the source is not asked', async () => {
    await using stage = await startExchange('url')
    expect(await stage.run('--base-url', 'http://api.example')).toEqual(
      failure(5, 'api.example would be sent a secret over plain http', 'write https://api.example as the address'),
    )
    expect(stage.bench.services.requests).toEqual([])
  })

  test('has an assertion of at most 16 KiB', async () => {
    await using stage = await startExchange('url')
    stage.bench.services.claim({ groups: 'x'.repeat(16 * 1024) })
    expect(await stage.run()).toEqual(
      failure(
        5,
        'assertion is longer than 16384 bytes',
        'ask the identity provider for fewer claims in the token, such as group lists',
      ),
    )
    expect(stage.endpoint.requests).toEqual([])
  })
})

describe('a successful answer', () => {
  test.each<[what: string, change: Record<string, unknown>, lifeSec: number]>([
    ['in the usual form', {}, 3600],
    ['with a type in another case', { token_type: 'BEARER' }, 3600],
    ['with a number as text', { expires_in: '7200' }, 7200],
    ['without an end', { expires_in: undefined }, 3600],
    ['of the shortest life', { expires_in: 60 }, 60],
    ['of the longest life', { expires_in: 86_400 }, 86_400],
    ['with unknown members', { scope: 'a b', refresh_token: 'canary' }, 3600],
  ])('is read %s', async (_, change, lifeSec) => {
    await using stage = await startExchange('file')
    stage.endpoint.answer({ body: { ...granted, ...change } })
    const { status, stdout, stderr } = await stage.run('--explain', '--client-ttl', '1')
    const endedSec = lifeSec - Number(/lives (\d+) s/.exec(stdout)?.[1])
    expect({ status, stderr, isOfTheAnswer: endedSec >= 0 && endedSec < 5 }).toEqual({
      status: 0,
      stderr: '',
      isOfTheAnswer: true,
    })
  })

  const unusable = (problem: string) =>
    failure(
      6,
      `the platform's answer to the token exchange cannot be used: ${problem}`,
      "check that the address is the API's, and not that of a web page or a proxy in front of it",
    )

  test.each<[field: string, body: unknown]>([
    ['access_token', { ...granted, access_token: undefined }],
    ['access_token', { ...granted, access_token: '' }],
    ['access_token', { ...granted, access_token: 'canary\nx: y' }],
    ['token_type', { ...granted, token_type: 'DPoP' }],
    ['token_type', { ...granted, token_type: undefined }],
    ['expires_in', { ...granted, expires_in: 59 }],
    ['expires_in', { ...granted, expires_in: 86_401 }],
    ['expires_in', { ...granted, expires_in: '1e4' }],
    ['expires_in', { ...granted, expires_in: 'soon' }],
  ])('is refused for its %s: %j', async (field, body) => {
    await using stage = await startExchange('url')
    stage.endpoint.answer({ body })
    expect(await stage.run()).toEqual(unusable(`${field} is not as expected`))
    expect(stage.endpoint.requests.length).toBe(1)
  })

  test.each(['<html>canary</html>', '', '"canary"'])('is refused without a JSON object: %j', async (body) => {
    await using stage = await startExchange('url')
    stage.endpoint.answer({ body })
    expect(await stage.run()).toEqual(unusable('it is not a JSON object'))
    expect(stage.endpoint.requests.length).toBe(1)
  })
})

/** An answer that refuses a token. */
const refusal: EndpointAnswer = { status: 400, body: { error: 'invalid_grant', error_description: 'canary' } }

const ruleHint = `have the federation rule fdrl_1 accept issuer "${issuer}", subject "workload" and audience "${audience}", and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first`
const settingsHint = 'check base-url, organization, federation-rule, service-account and workspace'

/** The message of a refusal, with the answer that the platform gave. */
function describeRefused({ bench, endpoint, source }: Stage, answer: string): string {
  const token = source === 'url' ? `from ${bench.services.url}/identity` : `in ${join(bench.home, 'identity-token')}`
  return `${new URL(endpoint.url).host} did not exchange the identity token ${token} (${answer})`
}

describe('a refusal', () => {
  const envelope = (status: number, type: string): EndpointAnswer => ({
    status,
    body: { type: 'error', error: { type, message: 'canary' }, request_id: 'req_7' },
  })

  test.each<[answer: EndpointAnswer, said: string, hint: string]>([
    [refusal, 'HTTP 400 invalid_grant', ruleHint],
    [{ ...refusal, headers: { 'request-id': 'req_8' } }, 'HTTP 400 invalid_grant, request req_8', ruleHint],
    [envelope(401, 'authentication_error'), 'HTTP 401 authentication_error, request req_7', ruleHint],
    [envelope(403, 'permission_error'), 'HTTP 403 permission_error, request req_7', settingsHint],
    [{ status: 404, body: '<html>canary</html>' }, 'HTTP 404', settingsHint],
    [{ status: 400, body: { error: 'unsupported_grant_type' } }, 'HTTP 400 unsupported_grant_type', settingsHint],
  ])('of %j ends the run: %s', async (answer, said, hint) => {
    await using stage = await startExchange('url')
    stage.endpoint.answer(answer)
    expect(await stage.run()).toEqual(failure(5, describeRefused(stage, said), hint))
  })

  test('is followed by one more attempt, with a fresh token', async () => {
    await using stage = await startExchange('url')
    stage.endpoint.answer(refusal, { body: granted })
    expect(tokenOf(await stage.run())).toBe(granted.access_token)
    const assertions = stage.endpoint.requests.map(({ body }) => body.assertion)
    expect(new Set(assertions).size).toBe(2)
  })

  test('is not followed by a third attempt', async () => {
    await using stage = await startExchange('url')
    stage.endpoint.answer(refusal)
    expect(await stage.run()).toEqual(failure(5, describeRefused(stage, 'HTTP 400 invalid_grant'), ruleHint))
    expect(stage.endpoint.requests.length).toBe(2)
  })

  test.each<[answer: EndpointAnswer, said: string]>([
    [envelope(403, 'permission_error'), 'HTTP 403 permission_error, request req_7'],
    [{ status: 400, body: { error: 'invalid_request' } }, 'HTTP 400 invalid_request'],
  ])('that another token would meet too is final: %j', async (answer, said) => {
    await using stage = await startExchange('url')
    stage.endpoint.answer(answer)
    expect(await stage.run()).toEqual(failure(5, describeRefused(stage, said), settingsHint))
    expect(stage.endpoint.requests.length).toBe(1)
  })

  test.each<[answer: EndpointAnswer, outcome: (stage: Stage) => Outcome]>([
    [refusal, (stage) => failure(5, describeRefused(stage, 'HTTP 400 invalid_grant'), ruleHint)],
    [
      envelope(503, 'overloaded_error'),
      ({ endpoint }) =>
        failure(
          6,
          `${new URL(endpoint.url).host} is busy or broken (HTTP 503 overloaded_error, request req_7)`,
          'try again in a moment',
        ),
    ],
  ])('of a token that has not been renewed does not send it again: %j', async (answer, outcome) => {
    await using stage = await startExchange('file')
    stage.endpoint.answer(answer)
    expect(await stage.run()).toEqual(outcome(stage))
    expect(stage.endpoint.requests.length).toBe(1)
  })

  test('that repeats the token is reported without it', async () => {
    await using stage = await startExchange('file')
    const token = await stage.bench.provider.sign()
    await stage.bench.writeToken(token)
    const [, claims] = token.split('.')
    for (const code of [token, claims]) {
      stage.endpoint.answer({ status: 400, body: { error: code, error_description: token, request_id: code } })
      expect(await stage.run()).toEqual(failure(5, describeRefused(stage, 'HTTP 400'), settingsHint))
    }
  })
})

describe('an unavailable platform', () => {
  test('is asked again with a fresh token after its Retry-After', async () => {
    await using stage = await startExchange('url')
    stage.endpoint.answer({ status: 503, headers: { 'retry-after': '1' }, body: '' }, { body: granted })
    const begin = Date.now()
    const token = tokenOf(await stage.run())
    const isLater = Date.now() - begin >= 1_000
    const assertions = new Set(stage.endpoint.requests.map(({ body }) => body.assertion)).size
    expect({ token, isLater, assertions }).toEqual({ token: granted.access_token, isLater: true, assertions: 2 })
  })

  const busy: EndpointAnswer = { status: 503, headers: { 'retry-after': '0' }, body: '' }
  const toBusy = ({ endpoint }: Stage) =>
    failure(6, `${new URL(endpoint.url).host} is busy or broken (HTTP 503)`, 'try again in a moment')
  const toRefused = (stage: Stage) => failure(5, describeRefused(stage, 'HTTP 400 invalid_grant'), ruleHint)

  test('is asked a third time, each time with a fresh token', async () => {
    await using stage = await startExchange('url')
    stage.endpoint.answer(busy, busy, { body: granted })
    expect(tokenOf(await stage.run())).toBe(granted.access_token)
    expect(new Set(stage.endpoint.requests.map(({ body }) => body.assertion)).size).toBe(3)
  })

  test.each<[what: string, answers: EndpointAnswer[], last: (stage: Stage) => Outcome, sent: number]>([
    ['busy until the end', [busy], toBusy, 3],
    ['busy, then refusing', [busy, refusal], toRefused, 2],
    ['refusing, then busy', [refusal, busy], toBusy, 3],
  ])('that is %s ends the run with its last answer', async (_, answers, last, sent) => {
    await using stage = await startExchange('url')
    stage.endpoint.answer(...answers)
    expect(await stage.run()).toEqual(last(stage))
    expect(stage.endpoint.requests.length).toBe(sent)
  })

  test('is not waited for beyond the deadline', async () => {
    await using stage = await startExchange('url')
    stage.endpoint.answer({ status: 429, headers: { 'retry-after': '120' }, body: { error: 'slow_down' } })
    const begin = Date.now()
    const who = new URL(stage.endpoint.url).host
    expect(await stage.run()).toEqual(
      failure(6, `${who} is busy or broken (HTTP 429 slow_down)`, 'try again in a moment'),
    )
    expect(Date.now() - begin).toBeLessThan(30_000)
  })

  test('is reported when it cannot be reached', async () => {
    await using stage = await startExchange('file')
    expect(await stage.run('--base-url', 'http://127.0.0.1:1')).toEqual(
      failure(6, '127.0.0.1:1 cannot be reached (ECONNREFUSED)', 'check what runs at 127.0.0.1:1'),
    )
  })

  test('is not followed to another address', async () => {
    await using stage = await startExchange('url')
    stage.endpoint.answer({ status: 307, headers: { location: `${stage.endpoint.url}/canary` }, body: '' })
    const who = new URL(stage.endpoint.url).host
    expect(await stage.run()).toEqual(
      failure(
        6,
        `${who} answered the token exchange with a redirect, which is not followed (HTTP 307)`,
        "set base-url to the platform's own address",
      ),
    )
    expect(stage.endpoint.requests.length).toBe(1)
  })
})

describe('clocks', () => {
  const dateIn = (minutes: number) => ({ date: new Date(Date.now() + minutes * 60_000).toUTCString() })

  test.each([
    [10, 'behind'],
    [-10, 'ahead of'],
  ])(
    "a clock that differs by %s minutes from the platform's is reported with a refusal",
    async (minutes, direction) => {
      await using stage = await startExchange('file')
      stage.endpoint.answer({ ...refusal, headers: dateIn(minutes) })
      const refused = describeRefused(stage, 'HTTP 400 invalid_grant')
      expect(await stage.run()).toEqual(
        failure(
          5,
          `${refused}; this machine's clock is 10 min ${direction} the platform's`,
          'set the clock of this machine',
        ),
      )
    },
  )

  test('a clock that differs is reported with a token too, whose life is counted from now', async () => {
    await using stage = await startExchange('file')
    stage.endpoint.answer({ headers: dateIn(10), body: granted })
    const { stdout, stderr } = await stage.run('--explain')
    expect(stderr).toBe(
      `${program}: warning: this machine's clock is 10 min behind the platform's; set the clock of this machine\n`,
    )
    expect(stdout.match(/lives \d\d/g)).toEqual(['lives 35'])
  })

  test('a token issued in the future shows that this machine is behind, where the platform tells no time', async () => {
    await using stage = await startExchange('file')
    const ahead = Math.floor(Date.now() / 1000) + 600
    const renew = async () =>
      stage.bench.writeToken(await stage.bench.provider.sign({ iat: ahead, nbf: ahead, exp: ahead + 300 }))
    await renew()
    const { status, stderr } = await stage.run()
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `${program}: warning: this machine's clock is 10 min behind the identity provider's; set the clock of this machine\n`,
    })
    await renew()
    stage.endpoint.answer(refusal)
    const refused = describeRefused(stage, 'HTTP 400 invalid_grant')
    expect(await stage.run()).toEqual(
      failure(
        5,
        `${refused}; this machine's clock is 10 min behind the identity provider's`,
        'set the clock of this machine',
      ),
    )
  })

  test('an answer from a cache tells no time', async () => {
    await using stage = await startExchange('file')
    stage.endpoint.answer({ headers: { ...dateIn(-60), age: '3600' }, body: granted })
    expect((await stage.run()).stderr).toBe('')
  })
})
