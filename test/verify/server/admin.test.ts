import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/runtime/secret.ts'
import { renderListenAddress } from '../../../src/verify/server/listen-address.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createIdentity } from '../verifier/made-up-checks.ts'
import { sendRaw, startVerifierStage } from './verifier-stage.ts'

const text = async (address: string, init: RequestInit = {}) => {
  const response = await fetch(address, init)
  return [response.status, await response.text()]
}

test('the first listener is closed where the second one cannot listen', async () => {
  const { server } = await startVerifierStage()
  const path = join(await temporaryDirectory(), 's')
  const half = startVerifierStage({ listen: { kind: 'socket', path }, adminListen: server.listen })
  expect(await half.catch(({ kind, message, hint }) => [kind, message, hint])).toEqual([
    'refused',
    `${renderListenAddress(server.listen)} cannot be used (EADDRINUSE)`,
    'end what listens there, or name another address with --admin-listen',
  ])
  expect(existsSync(path)).toBe(false)
})

describe('health', () => {
  test('is alive, and ready once the keys of every issuer are fetched', async () => {
    const { admin, world } = await startVerifierStage()
    expect([await text(`${admin}/healthz`), await text(`${admin}/readyz?full`)]).toEqual([
      [200, 'alive\n'],
      [200, 'ready\n'],
    ])
    const issuer = {
      issuer: 'https://idp.example',
      standing: 'none',
      keys: 0,
      fetchedAt: undefined,
      failure: undefined,
    } as const
    world.facts = { ...world.facts, issuers: [issuer] }
    expect([await text(`${admin}/healthz`), await text(`${admin}/readyz`)]).toEqual([
      [200, 'alive\n'],
      [503, 'the keys of https://idp.example have not been fetched yet\n'],
    ])
  })

  test('other paths, methods and web pages are refused', async () => {
    const { admin } = await startVerifierStage()
    const status = async (path: string, init?: RequestInit) => (await fetch(admin + path, init)).status
    expect([
      await status('/'),
      await status('/metrics', { method: 'POST' }),
      await status('/introspect'),
      await status('/healthz', { headers: { origin: 'https://page.example' } }),
    ]).toEqual([404, 405, 405, 403])
  })

  test('a page whose name was made to resolve to this machine is refused', async () => {
    const { adminPort } = await startVerifierStage()
    const ask = async (host: string) =>
      (await sendRaw(adminPort, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).split('\r\n')[0]
    expect([await ask(`page.example:${adminPort}`), await ask(`localhost:${adminPort}`)]).toEqual([
      'HTTP/1.1 403 Forbidden',
      'HTTP/1.1 200 OK',
    ])
  })
})

/** The reasons for which the verifier cannot say whether a token is good: counted from zero on, so that the first one is an increase. */
const unanswered = [
  ...['no-release', 'tenant-unavailable', 'keys-unavailable', 'aws-unavailable', 'replay-store-unavailable'],
  ...['revocations-unavailable', 'introspection-unavailable'],
  ...['audit-unavailable', 'verifier-unavailable', 'overloaded', 'defect'],
]

test('metrics count verdicts by their result', async () => {
  const { url, admin, world } = await startVerifierStage()
  const issuer = {
    issuer: 'https://idp.example',
    standing: 'kept',
    keys: 2,
    fetchedAt: world.facts.policy.loadedAt,
    failure: {},
  } as const
  world.facts = { policy: { ...world.facts.policy, isFileRefused: true }, isReplayStoreAway: true, issuers: [issuer] }
  for (const token of ['a.b.c', 'a.b.c', 'a.refused-expired.c', ''])
    await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const [status, metrics] = await text(`${admin}/metrics`)
  const ours = String(metrics).match(/^gatepass_(?!build|verification_seconds_(bucket|sum)).*$/gm)
  expect([status, ours]).toEqual([
    200,
    [
      'gatepass_processes 1',
      ...unanswered.flatMap((reason) =>
        ['jwt', 'opaque', 'aws-identity'].map(
          (kind) =>
            `gatepass_verifications_total{outcome="refused",reason="${reason}",rule="",kind="${kind}",source="verification"} 0`,
        ),
      ),
      'gatepass_verifications_total{outcome="accepted",reason="",rule="staff",kind="jwt",source="verification"} 1',
      'gatepass_verifications_total{outcome="accepted",reason="",rule="staff",kind="jwt",source="cache"} 1',
      'gatepass_verifications_total{outcome="refused",reason="expired",rule="",kind="jwt",source="verification"} 1',
      'gatepass_verifications_total{outcome="refused",reason="no-token",rule="",kind="unknown",source="request"} 1',
      'gatepass_verification_seconds_count{source="verification"} 2',
      'gatepass_verification_seconds_count{source="cache"} 1',
      'gatepass_verification_seconds_count{source="request"} 1',
      'gatepass_cache_entries 1',
      'gatepass_verifications_in_flight 0',
      'gatepass_policy_age_seconds 5',
      'gatepass_policy_file_refused 1',
      'gatepass_replay_store_away 1',
      ...['gatepass_limited_callers 0', 'gatepass_limited_addresses 0', 'gatepass_limits_away 0'],
      'gatepass_issuer_keys{issuer="https://idp.example"} 2',
      'gatepass_issuer_keys_age_seconds{issuer="https://idp.example"} 5',
      'gatepass_issuer_away{issuer="https://idp.example"} 1',
      'gatepass_audit_lost_total 0',
      'gatepass_audit_failing 0',
    ],
  ])
})

describe('introspection', () => {
  const form = (token: string, headers = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
  })
  const introspect = async (admin: string, init: RequestInit) => {
    const response = await fetch(`${admin}/introspect`, init)
    return [response.status, response.headers.get('gatepass-refusal'), await response.json()]
  }

  test('names whom a token stands for', async () => {
    const { admin } = await startVerifierStage()
    expect(await introspect(admin, form('a.b.c'))).toEqual([
      200,
      null,
      {
        active: true,
        iss: 'https://idp.example',
        sub: 'a-b-c',
        username: 'a-b-c',
        iat: 1_768_478_400,
        exp: 1_768_478_700,
        rule: 'staff',
        'x-user': 'a-b-c',
        'x-team': '',
      },
    ])
  })

  test('says nothing more of a token that does not pass', async () => {
    const { admin } = await startVerifierStage()
    expect([
      await introspect(admin, form('a.refused-expired.c')),
      await introspect(admin, form('a.stranger.c')),
    ]).toEqual([
      [200, 'expired', { active: false }],
      [200, 'no-rule', { active: false }],
    ])
  })

  test('gives no verdict where nobody can tell', async () => {
    const { admin } = await startVerifierStage()
    const answers = [
      await introspect(admin, form('a.refused-keys-unavailable.c')),
      await introspect(admin, form('a.defect.c')),
    ]
    expect(answers.map((answer) => answer.slice(0, 2))).toEqual([
      [503, 'keys-unavailable'],
      [500, 'defect'],
    ])
  })

  test('uses up a token that passes once', async () => {
    const { admin, url } = await startVerifierStage()
    expect(await introspect(admin, form('a.once.c'))).toEqual([
      200,
      null,
      {
        active: true,
        'x-user': 'a--c',
        'x-team': '',
        rule: 'staff',
        iss: 'https://idp.example',
        sub: 'a--c',
        username: 'a--c',
        exp: expect.any(Number),
        iat: expect.any(Number),
      },
    ])
    const { status, headers } = await fetch(url, { headers: { authorization: 'Bearer a.once.c' } })
    expect([status, headers.get('gatepass-refusal')]).toEqual([401, 'replayed'])
  })

  test('refuses a body that is not a form with one token', async () => {
    const { admin } = await startVerifierStage()
    const status = async (init: RequestInit) => (await introspect(admin, init))[0]
    expect([
      await status({ ...form('a.b.c'), headers: { 'content-type': 'application/json' } }),
      await status({ ...form(''), body: 'token=a.b.c&token=a.b.d' }),
      await status({ ...form(''), body: `token=${'a'.repeat(70_000)}` }),
    ]).toEqual([400, 400, 400])
  })

  test('asks for the secret where there is one', async () => {
    const { admin } = await startVerifierStage({ introspectionSecret: new Secret('s3cret:x') })
    const status = async (authorization: string) => (await introspect(admin, form('a.b.c', { authorization })))[0]
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    expect([await status('Bearer s3cret:x'), await status(basic('apache:s3cret:x'))]).toEqual([200, 200])
    expect([await status('Bearer s3cret'), await status(basic('s3cret:x')), await status('')]).toEqual([401, 401, 401])
  })

  test('is closed to other machines without a secret', async () => {
    const { admin } = await startVerifierStage({ adminListen: { kind: 'tcp', host: '0.0.0.0', port: 0 } })
    expect((await introspect(admin, form('a.b.c')))[0]).toBe(403)
  })

  test('states the end of the token without a tolerance for clocks', async () => {
    const end = { claims: { exp: 1_800_000_000 }, expiresAt: 1_800_000_060_000 }
    const checks = { jwt: async () => ({ ...createIdentity('jwt', 'dana'), ...end }) }
    const { admin } = await startVerifierStage({ made: { checks } })
    expect(await introspect(admin, form('a.b.c'))).toEqual([
      200,
      null,
      {
        active: true,
        iss: 'https://idp.example',
        sub: 'dana',
        username: 'dana',
        iat: 1_768_478_400,
        exp: 1_800_000_000,
        rule: 'staff',
        'x-user': 'dana',
        'x-team': '',
      },
    ])
  })
})
