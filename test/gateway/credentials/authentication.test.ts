import { describe, expect, test } from 'vitest'
import { betaFeatures } from '../../../src/contract/http-api.ts'
import { issueToken, revokeTokens } from '../../../src/gateway/credentials/access-tokens.ts'
import { createKey } from '../../../src/gateway/credentials/create-key.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { type Answer, message, refusal, type Stage, startStage } from '../stage.ts'

const forms = {
  none: '401 authentication_error: there is no credential: send it as "Authorization: Bearer <credential>"',
  scheme: '401 authentication_error: authorization is not of the form "Bearer <credential>"',
  two: '401 authentication_error: authorization and x-api-key carry different credentials',
  unknown: '401 authentication_error: the credential is not accepted',
}

const federated = ({ state, seed }: Stage) =>
  issueToken(state, {
    method: 'federation',
    ownerId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    lifeSec: 600,
  })

const outcome = (answer: Answer) => (answer.status === 200 ? 'works' : refusal(answer))

/** Returns the answers to a credential in each part of the API. */
async function reachOf({ send, seed }: Stage, as: Secret, workspace?: string) {
  const headers = { 'vendor-workspace-id': workspace }
  return {
    messages: outcome(await send('POST', '/v1/messages', { as, headers, body: message })),
    sessions: outcome(await send('GET', `/v1/sessions/${seed.session}/resources`, { as, headers })),
    administration: outcome(await send('GET', '/v1/organizations/workspaces', { as, headers })),
  }
}

const notFor = (area: string) => `403 permission_error: this credential is not for the ${area} endpoints`

describe('Authentication', () => {
  test('an API key is sent as bearer token of the form sk-<vendor>-api…', async () => {
    const stage = await startStage()
    const { secret } = stage.seed.keys.personal
    expect(toStableText(secret.reveal())).toBe('sk-vendor-api01-SECRET')
    expect(await reachOf(stage, secret)).toEqual({
      messages: 'works',
      sessions: 'works',
      administration: notFor('administration'),
    })
  })

  test('a federation token has the same access to API endpoints as a key', async () => {
    const stage = await startStage()
    expect(await reachOf(stage, federated(stage))).toEqual(await reachOf(stage, stage.seed.keys.personal.secret))
  })

  test('a federation token is short-lived', async () => {
    const stage = await startStage()
    const token = federated(stage)
    stage.advance(599)
    const before = await reachOf(stage, token)
    stage.advance(1)
    expect({
      messages: [before.messages, (await reachOf(stage, token)).messages],
      reasons: stage.records.map(({ reason }) => reason),
    }).toEqual({
      messages: ['works', forms.unknown],
      reasons: [undefined, undefined, 'federation token', ...Array(3).fill('the token is expired')],
    })
  })

  test('a federation token that has been over for a day is forgotten', async () => {
    const stage = await startStage()
    const token = federated(stage)
    const reasonAfter = async (seconds: number) => {
      stage.advance(seconds)
      federated(stage) // whoever issues a token forgets those that are over
      await reachOf(stage, token)
      return stage.records.at(-1)?.reason
    }
    expect([await reasonAfter(600), await reasonAfter(86_399), await reasonAfter(1)]).toEqual([
      'the token is expired',
      'the token is expired',
      'the credential is unknown',
    ])
  })

  test('an attestation token authorizes only the Messages API', async () => {
    const stage = await startStage()
    expect(await reachOf(stage, stage.seed.attestationToken)).toEqual({
      messages: 'works',
      sessions: notFor('sessions'),
      administration: notFor('administration'),
    })
  })

  test('an attestation token expires after one hour', async () => {
    const stage = await startStage()
    stage.advance(3599)
    const before = await reachOf(stage, stage.seed.attestationToken)
    stage.advance(1)
    const after = await reachOf(stage, stage.seed.attestationToken)
    expect([before.messages, after.messages]).toEqual(['works', forms.unknown])
  })

  test('an attestation token is scoped to the workspace', async () => {
    const stage = await startStage()
    expect((await reachOf(stage, stage.seed.attestationToken, stage.seed.workspaces.default)).messages).toBe(
      '400 invalid_request_error: vendor-workspace-id differs from the workspace that the credential is for',
    )
  })

  test('access tokens can be revoked without an effect on keys', async () => {
    const stage = await startStage()
    const revoked = revokeTokens(stage.state)
    const token = (await reachOf(stage, stage.seed.attestationToken)).messages
    const reason = stage.records.find(({ status }) => status === 401)?.reason
    const key = (await reachOf(stage, stage.seed.keys.personal.secret)).messages
    expect({ revoked, token, reason, key, revokedAgain: revokeTokens(stage.state) }).toEqual({
      revoked: 1,
      token: forms.unknown,
      reason: 'the token is revoked',
      key: 'works',
      revokedAgain: 0,
    })
  })

  test('a legacy workspace key reaches messages and sessions of its workspace', async () => {
    const stage = await startStage()
    expect(await reachOf(stage, stage.seed.keys.workspace.secret)).toEqual({
      messages: 'works',
      sessions: 'works',
      administration: notFor('administration'),
    })
  })

  test('an administrative key reaches the administration alone', async () => {
    const stage = await startStage()
    expect(await reachOf(stage, stage.seed.keys.administrative.secret)).toEqual({
      messages: notFor('messages'),
      sessions: notFor('sessions'),
      administration: 'works',
    })
  })
})

describe('Common request headers', () => {
  const key = (stage: Stage) => stage.seed.keys.personal.secret.reveal()

  test.each<[what: string, headers: (key: string) => Record<string, string | undefined>, outcome: string]>([
    ['Authorization: Bearer', (key) => ({ authorization: `Bearer ${key}` }), 'works'],
    ['Authorization, its scheme in any case', (key) => ({ authorization: `bEARER ${key}` }), 'works'],
    ['x-api-key in place of Authorization', (key) => ({ 'x-api-key': key }), 'works'],
    ['both headers with the same credential', (key) => ({ authorization: `Bearer ${key}`, 'x-api-key': key }), 'works'],
    [
      'both headers with different credentials',
      (key) => ({ authorization: `Bearer ${key}`, 'x-api-key': 'b' }),
      forms.two,
    ],
    ['no credential', () => ({}), forms.none],
    ['another scheme', (key) => ({ authorization: `Basic ${key}` }), forms.scheme],
    ['no scheme', (key) => ({ authorization: key }), forms.scheme],
    ['two words behind the scheme', (key) => ({ authorization: `Bearer ${key} b` }), forms.scheme],
    ['another scheme beside a good key', (key) => ({ authorization: 'Basic b', 'x-api-key': key }), forms.scheme],
    ['an unknown credential', () => ({ authorization: 'Bearer sk-vendor-api01-none' }), forms.unknown],
    ['an empty x-api-key', () => ({ 'x-api-key': '' }), forms.none],
    ['vendor-version 2023-06-01', (key) => ({ 'x-api-key': key, 'vendor-version': '2023-06-01' }), 'works'],
    ['a later vendor-version', (key) => ({ 'x-api-key': key, 'vendor-version': '2024-02-29' }), 'works'],
    ...[undefined, '', '2023-05-31', '2025-02-29', '2024-13-01', '2024-1-1', '2024-01-01T00:00', 'latest'].map(
      (version): [string, (key: string) => Record<string, string | undefined>, string] => [
        `vendor-version ${version}, while Create message requires a date`,
        (key) => ({ 'x-api-key': key, 'vendor-version': version }),
        '400 invalid_request_error: vendor-version must be 2023-06-01 or a later date',
      ],
    ),
    [
      'content-type with a charset',
      (key) => ({ 'x-api-key': key, 'content-type': 'application/json; charset=utf-8' }),
      'works',
    ],
    [
      'another content-type',
      (key) => ({ 'x-api-key': key, 'content-type': 'text/plain' }),
      '400 invalid_request_error: content-type must be application/json',
    ],
    [
      'an unknown vendor-beta',
      (key) => ({ 'x-api-key': key, 'vendor-beta': 'none-2026-01-01' }),
      '400 invalid_request_error: vendor-beta names a feature that does not exist: "none-2026-01-01"',
    ],
    [
      'the vendor-beta of federation tokens beside a key',
      (key) => ({ 'x-api-key': key, 'vendor-beta': 'oauth-2025-04-20' }),
      '400 invalid_request_error: vendor-beta: oauth-2025-04-20 goes with a federation token only',
    ],
    [
      'several vendor-beta',
      (key) => ({ 'x-api-key': key, 'vendor-beta': 'skills-2025-10-02, compact-2026-01-12' }),
      'works',
    ],
  ])('Create message is answered with %s', async (_, headers, expected) => {
    const stage = await startStage()
    expect(outcome(await stage.send('POST', '/v1/messages', { headers: headers(key(stage)), body: message }))).toBe(
      expected,
    )
  })

  test('Authorization takes an access token in place of an API key', async () => {
    const { seed, send } = await startStage()
    const answers = [seed.keys.personal.secret, seed.attestationToken].map((as) =>
      send('POST', '/v1/messages', { as, body: message }),
    )
    expect((await Promise.all(answers)).map(outcome)).toEqual(['works', 'works'])
  })

  test.each([
    [
      'required for a credential that can act on more than one workspace',
      'unscoped',
      'none',
      '400 invalid_request_error: vendor-workspace-id is required: the credential is not scoped to a workspace',
    ],
    ['named by a credential that can act on more than one workspace', 'unscoped', 'team', 'works'],
    ['omitted by a credential bound to one workspace', 'personal', 'none', 'works'],
    ['sent by a credential bound to one workspace, and it matches', 'personal', 'team', 'works'],
    [
      'sent by a credential bound to one workspace, and it does not match',
      'personal',
      'default',
      '400 invalid_request_error: vendor-workspace-id differs from the workspace that the credential is for',
    ],
  ] as const)('vendor-workspace-id is checked where it is %s', async (_, key, named, expected) => {
    const { seed, send } = await startStage()
    const workspace = named === 'none' ? undefined : seed.workspaces[named]
    const options = { as: seed.keys[key].secret, headers: { 'vendor-workspace-id': workspace }, body: message }
    expect(outcome(await send('POST', '/v1/messages', options))).toBe(expected)
  })

  test('content-type must be application/json on POST', async () => {
    const { seed, url } = await startStage()
    const headers = { 'x-api-key': seed.keys.personal.secret.reveal(), 'vendor-version': '2023-06-01' }
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: Buffer.from('{}') })
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: { message: 'content-type must be application/json', type: 'invalid_request_error' },
        type: 'error',
        request_id: expect.any(String),
      },
    ])
  })

  test('vendor-version is optional for sessions', async () => {
    const stage = await startStage()
    const headers = { 'vendor-version': undefined }
    const answer = await stage.send('GET', `/v1/sessions/${stage.seed.session}/resources`, {
      as: stage.seed.keys.personal.secret,
      headers,
    })
    expect(outcome(answer)).toBe('works')
  })

  test.each([
    ['nothing', undefined],
    ['another feature', 'skills-2025-10-02'],
  ])('session endpoints require managed-agents-2026-04-01 and refuse %s', async (_, beta) => {
    const { send, seed } = await startStage()
    const options = { as: seed.keys.personal.secret, headers: { 'vendor-beta': beta } }
    const paths = ['resources', `resources/${seed.resources.file}`]
    const answers = [
      ...(await Promise.all(paths.map((path) => send('GET', `/v1/sessions/${seed.session}/${path}`, options)))),
      ...(await Promise.all(
        [...paths, 'events'].map((path) =>
          send('POST', `/v1/sessions/${seed.session}/${path}`, { ...options, body: {} }),
        ),
      )),
    ]
    expect(answers.map(outcome)).toEqual(
      Array(5).fill('400 invalid_request_error: vendor-beta must name managed-agents-2026-04-01'),
    )
  })

  test('a federation token may be sent with the vendor-beta of published clients', async () => {
    const stage = await startStage()
    const headers = { 'vendor-beta': 'oauth-2025-04-20,skills-2025-10-02' }
    expect(outcome(await stage.send('POST', '/v1/messages', { as: federated(stage), headers, body: message }))).toBe(
      'works',
    )
  })

  test('vendor-beta may be a feature that the gateway was started with', async () => {
    const stage = await startStage({ allowedBetas: ['mine-2026-11-01'] })
    const send = (beta: string) => {
      const headers = { 'vendor-beta': `skills-2025-10-02, ${beta}` }
      return stage.send('POST', '/v1/messages', { as: stage.seed.keys.personal.secret, headers, body: message })
    }
    expect([outcome(await send('mine-2026-11-01')), outcome(await send('mine-2026-11-02'))]).toEqual([
      'works',
      '400 invalid_request_error: vendor-beta names a feature that does not exist: "mine-2026-11-02"',
    ])
  })

  test('the record has a vendor-version that the specification does not name', async () => {
    const { send, seed, records } = await startStage()
    const ask = (version: string, body: unknown) =>
      send('POST', '/v1/messages', { as: seed.keys.personal.secret, headers: { 'vendor-version': version }, body })
    await ask('2026-01-01', message)
    await ask('2026-01-01', {})
    await ask('2023-06-01', message)
    const note = 'vendor-version 2026-01-01: not in the specification'
    expect(records.map(({ status, note }) => [status, note])).toEqual([
      [200, note],
      [400, note],
      [200, undefined],
    ])
  })

  test('every operation takes ?beta=true, and no other value of it', async () => {
    const { send, seed } = await startStage()
    const { personal, administrative } = seed.keys
    const session = `/v1/sessions/${seed.session}`
    const text = { type: 'user.message', content: [{ type: 'text', text: 'a' }] }
    const ask = (query: string) =>
      Promise.all([
        send('POST', `/v1/messages${query}`, { as: personal.secret, body: message }),
        send('GET', `${session}/resources${query}`, { as: personal.secret }),
        send('POST', `${session}/resources${query}`, {
          as: personal.secret,
          body: { type: 'file', file_id: seed.file },
        }),
        send('GET', `${session}/resources/${seed.resources.file}${query}`, { as: personal.secret }),
        send('POST', `${session}/events${query}`, { as: personal.secret, body: { events: [text] } }),
        send('GET', `/v1/organizations/api_keys${query}`, { as: administrative.secret }),
        send('GET', `/v1/organizations/workspaces${query}`, { as: administrative.secret }),
      ])
    expect((await ask('?beta=true')).map(outcome)).toEqual(Array(7).fill('works'))
    expect((await ask('?beta=false')).map(outcome)).toEqual(
      Array(7).fill('400 invalid_request_error: beta must be true'),
    )
  })

  test('vendor-beta may be any of the 51 allowed values', async () => {
    const { send, seed } = await startStage()
    const refused = []
    for (const feature of betaFeatures) {
      const headers = { 'vendor-beta': `${feature},managed-agents-2026-04-01` }
      const path = `/v1/sessions/${seed.session}/resources`
      const answer = outcome(await send('GET', path, { as: seed.keys.personal.secret, headers }))
      if (answer !== 'works') refused.push({ feature, answer })
    }
    expect({ features: new Set(betaFeatures).size, refused }).toEqual({ features: 51, refused: [] })
  })
})

test('a stranger learns only 401, whatever path, session or body is right', async () => {
  const { send, seed } = await startStage()
  const answers = [
    await send('GET', `/v1/sessions/${seed.session}/resources?bogus=1`, { headers: { 'vendor-beta': undefined } }),
    await send('GET', '/v1/sessions/none/resources', { headers: { 'vendor-workspace-id': 'none' } }),
    await send('POST', '/v1/messages', { body: '{' }),
  ]
  expect(answers.map(outcome)).toEqual(Array(3).fill(forms.none))
})

test('the error envelope has type error, an error with type and message, and request_id', async () => {
  const { send } = await startStage()
  const { status, body, headers } = await send('POST', '/v1/messages', { as: new Secret('none'), body: message })
  expect([status, headers.get('content-type'), body]).toEqual([
    401,
    'application/json',
    {
      type: 'error',
      error: { type: 'authentication_error', message: 'the credential is not accepted' },
      request_id: headers.get('request-id'),
    },
  ])
})

test('every answer carries a request id, which the envelope repeats', async () => {
  const { send, seed } = await startStage()
  const good = await send('POST', '/v1/messages', { as: seed.keys.personal.secret, body: message })
  const bad = await send('POST', '/v1/messages', { as: new Secret('none'), body: message })
  const ids = [good.headers.get('request-id'), bad.headers.get('request-id')].map(String)
  expect({ ids: ids.map((id) => toStableText(id)), inOrder: ids.toSorted(), ofBody: bad.body.request_id }).toEqual({
    ids: ['req_ID', 'req_ID'],
    inOrder: ids,
    ofBody: ids[1],
  })
})

test('the record says why a key was refused without its key or query', async () => {
  const stage = await startStage()
  const { secret } = createKey(stage.state, { kind: 'administrative', name: 'k', expiration: 60 })
  stage.advance(60)
  await stage.send('GET', '/v1/organizations/api_keys?page=canary', { as: secret })
  expect(toStableValue(stage.records)).toEqual([
    {
      requestId: 'req_ID',
      method: 'GET',
      path: '/v1/organizations/api_keys',
      status: 401,
      reason: 'the key is expired',
    },
  ])
})
