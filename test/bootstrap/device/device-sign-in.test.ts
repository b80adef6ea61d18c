import { describe, expect, test } from 'vitest'
import { toDeviceAddresses } from '../../../src/bootstrap/device/answer-client.ts'
import { start } from '../../verify/verifier/made-up-checks.ts'
import { cookieOf, deviceGrantType, fieldsOf, origin, startDeviceStage, titleOf } from './device-stage.ts'

const second = 1000

/** Returns the status of a page, and its problem, or else what it says below its title. */
const pageOf = ({ status, body }: { status: number; body: string }) => ({
  status,
  said: (/(?<=role="alert">).*?(?=<\/p>)/.exec(body) ?? /(?<=<p>).*?(?=<\/p>)/.exec(body))?.[0],
})

describe('a device sign-in', () => {
  test('gives the token to the client that began it, once, after the person has pressed the button', async () => {
    const { begin, poll, enter, comeBack, confirm, world, signIns, lines } = await startDeviceStage()
    const begun = await begin()
    const polls = [await poll(begun.device_code!)]
    const cookie = cookieOf(await enter(begun.user_code!.toLowerCase().replaceAll('-', ' ')))
    const asked = await comeBack(`state=${signIns[0]!.state}&code=dana`, cookie)
    world.now += 5 * second
    polls.push(await poll(begun.device_code!))
    const confirmed = await confirm({ ...fieldsOf(asked), choice: 'allow' }, cookie)
    for (const _ of ['the token', 'once']) {
      world.now += 5 * second
      polls.push(await poll(begun.device_code!))
    }
    const token = { access_token: 'a.dana.c', token_type: 'Bearer', expires_in: 290, refresh_token: 'refresh-dana' }
    expect({ begun, pages: [asked, confirmed].map(titleOf), polls }).toEqual({
      begun: {
        device_code: expect.any(String),
        user_code: begun.user_code,
        verification_uri: `${origin}/device`,
        verification_uri_complete: `${origin}/device?user_code=${begun.user_code}`,
        expires_in: 300,
        interval: 5,
      },
      pages: ['Allow this app?', 'The app is connected'],
      polls: [
        { status: 400, error: 'authorization_pending' },
        { status: 400, error: 'authorization_pending' },
        { status: 200, ...token },
        { status: 400, error: 'invalid_grant' },
      ],
    })
    const secrets = [begun.device_code!, begun.user_code!, 'a.dana.c', 'refresh-dana', signIns[0]!.state, cookie]
    expect(secrets.filter((text) => lines.join('').includes(text))).toEqual([])
  })

  test('is described in the metadata of the authorization server', async () => {
    const { ask } = await startDeviceStage()
    const { status, body } = await ask('GET', '/.well-known/oauth-authorization-server')
    expect({ status, ...JSON.parse(body) }).toEqual({
      status: 200,
      issuer: origin,
      token_endpoint: `${origin}/device/token`,
      device_authorization_endpoint: `${origin}/device/authorization`,
      grant_types_supported: [deviceGrantType, 'refresh_token'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['none'],
    })
  })

  test.each([
    ['/bootstrap', '/.well-known/oauth-authorization-server'],
    ['/user/bootstrap', '/.well-known/oauth-authorization-server'],
    ['/acme/user/bootstrap', '/acme/.well-known/oauth-authorization-server'],
    ['/acme/config', '/acme/config/.well-known/oauth-authorization-server'],
  ])('of documents at %s is described at %s', (path, metadata) => {
    expect(toDeviceAddresses(origin, path).metadata).toBe(metadata)
  })

  test('slows down a client that polls too often', async () => {
    const { begin, poll, world } = await startDeviceStage()
    const { device_code: code = '' } = await begin()
    const errors = []
    for (const seconds of [0, 4, 9, 15, 14]) {
      world.now += seconds * second
      errors.push((await poll(code)).error)
    }
    expect(errors).toEqual(['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending', 'slow_down'])
  })

  test('ends after five minutes, for the client and for the person', async () => {
    const { begin, poll, enter, world } = await startDeviceStage()
    const { device_code: code = '', user_code: userCode = '' } = await begin()
    world.now += 300 * second
    expect(await poll(code)).toEqual({ status: 400, error: 'expired_token' })
    expect(pageOf(await enter(userCode))).toEqual({
      status: 400,
      said: 'No app waits with this code. Compare it, or start again in the app: a code is good for 5 minutes.',
    })
  })

  test.each([
    ['denies it on the page', 'code=dana', { choice: 'deny' }],
    ['sends no choice', 'code=dana', {}],
    ['denies it at the provider', 'error=access_denied', undefined],
    ['is nobody whom the policy lets pass', 'code=stranger', undefined],
  ])('is denied when the person %s', async (_, query, choice) => {
    const { begin, poll, enter, comeBack, confirm, signIns } = await startDeviceStage()
    const begun = await begin()
    const cookie = cookieOf(await enter(begun.user_code!))
    const asked = await comeBack(`state=${signIns[0]!.state}&${query}`, cookie)
    if (choice) await confirm({ ...fieldsOf(asked), ...choice } as Record<string, string>, cookie)
    expect(await poll(begun.device_code!)).toEqual({ status: 400, error: 'access_denied' })
  })

  test.each([
    [
      'is renewed with the refresh token',
      'refresh-dana',
      {},
      {
        status: 200,
        access_token: 'a.refresh-dana.c',
        token_type: 'Bearer',
        expires_in: 300,
        refresh_token: 'refresh-dana',
      },
    ],
    ['ends where the provider does not know the refresh token', 'another', {}, { status: 400, error: 'invalid_grant' }],
    ['ends where no rule fits the person', 'refresh-stranger', {}, { status: 400, error: 'invalid_grant' }],
    [
      'is not renewed while the provider cannot be reached',
      'refresh-dana',
      { isProviderDown: true },
      { status: 503, error: 'temporarily_unavailable' },
    ],
  ])('%s', async (_, refreshToken, state, answer) => {
    const { ask, world } = await startDeviceStage()
    Object.assign(world, state)
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const { status, body } = await ask('POST', '/device/token', { form })
    expect({ status, ...JSON.parse(body) }).toEqual(answer)
  })

  test('can begin again after the provider could not be reached', async () => {
    const { begin, enter, world } = await startDeviceStage()
    const begun = await begin()
    world.isProviderDown = true
    const failed = await enter(begun.user_code!)
    world.isProviderDown = false
    expect([failed, await enter(begun.user_code!)].map(pageOf)).toEqual([
      { status: 503, said: 'Your organization’s sign-in cannot be reached now.' },
      { status: 200, said: 'The app that shows this code will get your configuration:' },
    ])
  })
})

describe('attacks on device sign-ins', () => {
  test('a sign-in is not finished in another browser than the one that began it', async () => {
    const { begin, poll, enter, comeBack, signIns, redeemed } = await startDeviceStage()
    const begun = await begin()
    await enter(begun.user_code!)
    const query = `state=${signIns[0]!.state}&code=dana`
    const other = cookieOf(await enter((await begin()).user_code!))
    const answers = [await comeBack(query), await comeBack(query, other), await comeBack('code=dana', other)]
    expect({ answers: answers.map(titleOf), redeemed, polled: await poll(begun.device_code!) }).toEqual({
      answers: answers.map(() => 'This sign-in is not known here'),
      redeemed: [],
      polled: { status: 400, error: 'authorization_pending' },
    })
  })

  test('a code of the provider is redeemed once', async () => {
    const { begin, enter, comeBack, confirm, signIns, redeemed } = await startDeviceStage()
    const begun = await begin()
    const cookie = cookieOf(await enter(begun.user_code!))
    const query = `state=${signIns[0]!.state}&code=dana`
    const both = await Promise.all([comeBack(query, cookie), comeBack(query, cookie)])
    const fields = { ...fieldsOf(both.find(({ status }) => status === 200)!), choice: 'allow' }
    const [denied, late] = [await confirm({ ...fields, choice: 'deny' }, cookie), await confirm(fields, cookie)]
    expect({
      statuses: both.map(({ status }) => status).toSorted(),
      redeemed,
      answered: [denied, late].map(pageOf),
    }).toEqual({
      statuses: [200, 400],
      redeemed: ['dana'],
      answered: [
        { status: 200, said: 'It gets nothing. You can close this page.' },
        { status: 400, said: 'It was finished, has expired, or was begun in another browser. Nothing was allowed.' },
      ],
    })
  })

  test('a page of another origin cannot press the button', async () => {
    const { begin, poll, enter, comeBack, confirm, signIns, fromPage } = await startDeviceStage()
    const begun = await begin()
    const cookie = cookieOf(await enter(begun.user_code!))
    const asked = await comeBack(`state=${signIns[0]!.state}&code=dana`, cookie)
    const fields = { ...fieldsOf(asked), choice: 'allow' }
    const statuses = [
      await confirm(fields, cookie, { origin: 'https://evil.example.com' }),
      await confirm(fields, cookie, { origin: 'null' }),
      await confirm(fields, cookie, {}),
      await confirm(fields, cookie, { ...fromPage, 'sec-fetch-site': 'cross-site' }),
      await confirm({ ...fields, form_token: 'guessed' }, cookie),
      await confirm(fields, '__Host-gatepass-device=guessed'),
    ].map(({ status }) => status)
    expect({ statuses, polled: await poll(begun.device_code!) }).toEqual({
      statuses: [403, 403, 403, 403, 400, 400],
      polled: { status: 400, error: 'authorization_pending' },
    })
  })

  test('after a hundred wrong codes in a minute even a right one waits', async () => {
    const { begin, enter, world } = await startDeviceStage()
    const { user_code: userCode = '' } = await begin()
    const statuses = new Set<number>()
    for (let guess = 0; guess < 100; guess += 1) statuses.add((await enter(`BBB-BBB-${guess}`)).status)
    const early = await enter(userCode)
    world.now += 60 * second
    expect({ statuses: [...statuses], right: [early, await enter(userCode)].map(pageOf) }).toEqual({
      statuses: [400],
      right: [
        { status: 429, said: 'Too many wrong codes were entered. Wait a minute, and try again.' },
        { status: 200, said: 'The app that shows this code will get your configuration:' },
      ],
    })
  })

  test('one code is entered five times at most', async () => {
    const { begin, enter } = await startDeviceStage()
    const { user_code: userCode = '' } = await begin()
    const statuses = []
    for (let entry = 0; entry < 6; entry += 1) statuses.push((await enter(userCode)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 400])
  })

  test('only the client that began a sign-in can use its device code', async () => {
    const { begin, poll } = await startDeviceStage()
    const { device_code: code = '' } = await begin()
    const invalid = { status: 400, error: 'invalid_grant' }
    expect({ other: await poll(code, 'other'), guessed: await poll('guessed') }).toEqual({
      other: invalid,
      guessed: invalid,
    })
  })

  test('user codes have nine letters of an alphabet of twenty', async () => {
    const { begin } = await startDeviceStage()
    const codes = []
    for (let count = 0; count < 50; count += 1) codes.push((await begin()).user_code!)
    const form = /^([BCDFGHJKLMNPQRSTVWXZ]{3}-){2}[BCDFGHJKLMNPQRSTVWXZ]{3}$/
    expect({ others: codes.filter((code) => !form.test(code)), different: new Set(codes).size }).toEqual({
      others: [],
      different: 50,
    })
  })

  test('a request to another host is refused', async () => {
    const { ask } = await startDeviceStage()
    expect(pageOf(await ask('GET', '/device', { headers: { host: 'evil.example.com' } }))).toEqual({
      status: 421,
      said: 'Open https://config.example.com/device',
    })
  })

  const poll = '/device/token'
  const begin = '/device/authorization'
  const fromPage = { origin: 'null' }
  const asJson = { 'content-type': 'application/json' }

  test.each<
    [string, target: string, form: string | Record<string, string>, status: number, error: string, headers?: object]
  >([
    ['a page that polls', poll, { grant_type: deviceGrantType }, 403, 'invalid_request', { origin }],
    ['a page that begins a grant', begin, { client_id: 'app' }, 403, 'invalid_request', fromPage],
    ['a form that is too long', poll, 'x'.repeat(9000), 413, 'invalid_request'],
    ['a parameter twice', poll, 'grant_type=a&grant_type=b', 400, 'invalid_request'],
    ['JSON', poll, '{}', 415, 'invalid_request', asJson],
    ['a token request without a grant', poll, { client_id: 'app' }, 400, 'invalid_request'],
    ['a grant of another kind', poll, { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['an endless client ID', begin, { client_id: 'x'.repeat(201) }, 400, 'invalid_client'],
  ])('%s is refused', async (_, target, form, status, error, headers = {}) => {
    const { ask } = await startDeviceStage()
    const answer = await ask('POST', target, { headers: { ...headers }, form })
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: JSON.stringify({ error }) })
  })

  test.each([
    ['another method', 'PUT', '/device/token', { form: { grant_type: deviceGrantType } }],
    ['a callback by HEAD', 'HEAD', '/device/callback', {}],
  ])('%s is refused without a body', async (_, method, target, parts) => {
    const { ask } = await startDeviceStage()
    const answer = await ask(method, target, parts)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 405, body: '' })
  })

  test('a page escapes what is in its address', async () => {
    const { ask } = await startDeviceStage()
    const { headers, body } = await ask('GET', `/device?user_code=${encodeURIComponent('"><script>alert(1)</script>')}`)
    const policy = String(headers['content-security-policy']).replace(/sha256-[\w+/=]+/, 'DIGEST')
    const [value] = /(?<=name="user_code" value=)"[^"]*"|<script/.exec(body) ?? []
    expect({ value, policy, caching: headers['cache-control'], referrer: headers['referrer-policy'] }).toEqual({
      value: '"&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"',
      policy: "default-src 'none'; style-src 'DIGEST'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      caching: 'no-store',
      referrer: 'same-origin',
    })
  })

  test('the cookie is limited to this host, TLS and HTTP', async () => {
    const { begin, enter } = await startDeviceStage()
    const { headers } = await enter((await begin()).user_code!)
    const [, ...attributes] = headers['set-cookie']![0]!.split('; ')
    expect(attributes).toEqual(['Path=/', 'Max-Age=300', 'Secure', 'HttpOnly', 'SameSite=Lax'])
  })
})

describe('device sign-ins with every outcome', () => {
  /** Lets one sign-in end in each way, and one be forgotten. */
  const playSignIns = async () => {
    const { begin, enter, comeBack, confirm, expire, world, signIns, audited, registry } = await startDeviceStage()
    const signIn = async (query: string, choice?: string) => {
      const begun = await begin()
      const cookie = cookieOf(await enter(begun.user_code!))
      const { state, grant } = signIns.at(-1)!
      const asked = await comeBack(`state=${state}&${query}`, cookie)
      if (choice !== undefined) await confirm({ ...fieldsOf(asked), choice }, cookie)
      return { grant: grant.id, secrets: [begun.device_code!, begun.user_code!, grant.userCode, state, cookie] }
    }
    const ended = [
      await signIn('code=dana', 'allow'),
      await signIn('code=dana', 'deny'),
      await signIn('code=stranger'),
      await signIn('error=access_denied'),
      await signIn('scope=openid'), // an answer without a code
    ]
    world.isProviderDown = true
    const forgotten = await begin()
    await enter(forgotten.user_code!)
    world.now += 299 * second
    expire()
    world.now += second
    expire()
    expire()
    const secrets = [...ended.flatMap((each) => each.secrets), 'a.dana.c', 'refresh-dana', forgotten.device_code!]
    return { grants: ended.map(({ grant }) => grant), secrets, audited, registry }
  }

  test('are audited step by step, with the person once one is known', async () => {
    const { grants, audited } = await playSignIns()
    const [allowed, denied, stranger, atProvider, unusable] = grants
    const person = { issuer: 'https://idp.example', subject: 'a-dana-c' }
    const lost = audited.at(-1)?.grant // the provider never heard of it
    expect(audited.map(({ time, ...line }) => [(time - start) / second, line])).toEqual(
      [
        [0, allowed, 'started', {}],
        [0, allowed, 'confirmed', person],
        [0, denied, 'started', {}],
        [0, denied, 'refused', { reason: 'person', ...person }],
        [0, stranger, 'started', {}],
        [0, stranger, 'refused', { reason: 'no-rule' }],
        [0, atProvider, 'started', {}],
        [0, atProvider, 'refused', { reason: 'provider-denied' }],
        [0, unusable, 'started', {}],
        [0, unusable, 'refused', { reason: 'provider-refused' }],
        [0, lost, 'started', {}],
        [0, lost, 'refused', { reason: 'provider-unavailable' }],
        // These two could have been tried again.
        [300, unusable, 'expired', {}],
        [300, lost, 'expired', {}],
      ].map(([at, grant, outcome, more]) => [at, { bootstrap: 'device', grant, outcome, ...(more as object) }]),
    )
  })

  test('leave no code and no token in the audit', async () => {
    const { secrets, audited } = await playSignIns()
    expect(secrets.filter((text) => JSON.stringify(audited).includes(text))).toEqual([])
  })

  test('are counted by outcome and reason', async () => {
    const { registry } = await playSignIns()
    const { values } = (await registry.getSingleMetric('gatepass_bootstrap_device_sign_ins_total')?.get()) ?? {}
    expect(values?.map(({ labels: { outcome, reason }, value }) => [outcome, reason, value])).toEqual([
      ['started', '', 6],
      ['confirmed', '', 1],
      ['expired', '', 2],
      ...['provider-unavailable', 'person', 'no-rule', 'provider-denied', 'provider-refused'].map((reason) => [
        'refused',
        reason,
        1,
      ]),
    ])
  })
})
