import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import type { Policy } from '../../../src/verify/policy/policy.ts'
import { renderRevocation } from '../../../src/verify/revocation/revocation.ts'
import { RevocationList } from '../../../src/verify/revocation/revocation-list.ts'
import { createAdminListener } from '../../../src/verify/server/admin-listener.ts'
import { createEventReceiver } from '../../../src/verify/server/event-receiver.ts'
import type { LogEntry } from '../../../src/verify/server/log.ts'
import { createTestKey, createTrust, goodClaims, now, nowSec, signClaims } from '../jwt/issuer.ts'

const key = await createTestKey('ES256')
const other = await createTestKey('ES256', 'other')
const { iss } = goodClaims
const silentIssuer = 'https://silent.example'

/** Starts the operator's listener, whose events become entries that the test sees. */
async function startReceiver() {
  const world = { failure: undefined as HelperError | undefined }
  const trust = createTrust([key], { eventAudiences: ['client-1'], longestLifeSec: 3600, types: ['at+jwt'] })
  const silent = createTrust([other], { issuer: silentIssuer })
  const policy = { jwt: [trust, silent], aws: undefined, rules: [], clockSkewSec: 30 } satisfies Policy
  const list = new RevocationList(() => now)
  const written: string[] = []
  const logged: LogEntry[] = []
  const posts = createEventReceiver({
    policy: () => policy,
    keys: createIssuerKeys({ fetch: async () => new Response(), now: () => now }),
    now: () => now,
    source: {
      name: 'memory',
      list,
      problem: () => undefined,
      async add(revocations) {
        list.addAll(revocations)
        if (world.failure) throw world.failure
        written.push(...revocations.map((each) => renderRevocation(each)))
      },
      close: () => {},
    },
    log: { tell: () => {}, tellBounded: (entry) => logged.push(entry), close: () => {} },
  })
  const metrics = { render: async () => '', contentType: 'text/plain' }
  const readiness = () => ({ isDraining: false, missing: [] })
  const server = createServer(createAdminListener({ metrics, readiness, posts: () => posts })).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server, which listens
  const post = async (path: string, type: string, body: string) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': type }, body })
    return { status: answer.status, body: await answer.text() }
  }
  return {
    world,
    written,
    logged,
    list,
    logOut: (token: string) =>
      post('/backchannel-logout', 'application/x-www-form-urlencoded; charset=utf-8', `logout_token=${token}`),
    push: (token: string, type = 'application/secevent+jwt') => post('/security-events', type, token),
  }
}

const logoutClaims = {
  sub: 'dana',
  sid: 's1',
  aud: 'client-1',
  jti: 'j1',
  iat: nowSec,
  exp: nowSec + 60,
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
}
const signLogout = (claims: object = {}, header: Readonly<Record<string, unknown>> = { typ: 'logout+jwt' }, by = key) =>
  signClaims(by, { ...logoutClaims, ...claims }, header)

const caep = 'https://schemas.openid.net/secevent/caep/event-type/'
const risc = 'https://schemas.openid.net/secevent/risc/event-type/'
const dana = { format: 'iss_sub', iss, sub: 'dana' }
const signEvent = (events: object, claims: object = {}, header: Readonly<Record<string, unknown>> = {}, by = key) =>
  signClaims(
    by,
    { sub: undefined, exp: undefined, iat: nowSec, aud: 'client-1', jti: 'j1', sub_id: dana, events, ...claims },
    { typ: 'secevent+jwt', ...header },
  )

const before = '2026-03-01T12:00:00.000Z'
const until = '2026-03-01T13:10:00.000Z'

describe('a logout token', () => {
  test.each<[string, object, object]>([
    ['with a session ends that session', {}, { session: 's1' }],
    ['without a session ends all of the person', { sid: undefined }, { subject: 'dana' }],
    ['without a person ends the session', { sub: undefined }, { session: 's1' }],
  ])('%s', async (_, claims, entry) => {
    const { written, logOut } = await startReceiver()
    expect([await logOut(await signLogout(claims)), written]).toEqual([
      { status: 200, body: '' },
      [JSON.stringify({ ...entry, issuer: iss, before, until })],
    ])
  })

  test('without a type, as older providers send it, counts', async () => {
    const { written, logged, logOut } = await startReceiver()
    const token = await signLogout({}, { typ: undefined })
    const answers = [await logOut(token), await logOut(token)]
    expect({ answers, written: written.length, logged }).toEqual({
      answers: [
        { status: 200, body: '' },
        { status: 200, body: '' },
      ],
      written: 1,
      logged: ['session', 'nothing new'].map((revoked) => ({
        level: 'info',
        event: 'revocation-event',
        message: 'a logout token was accepted',
        facts: { issuer: iss, revoked },
      })),
    })
  })

  const refused = (error_description: string) => ({
    status: 400,
    body: JSON.stringify({ error: 'invalid_request', error_description }),
  })

  test.each<[string, claims: object, note: string, header?: Record<string, unknown>, by?: typeof key]>([
    ['of another audience', { aud: goodClaims.aud }, 'it is for "https://gateway.example", not for "client-1"'],
    ['that expired', { exp: nowSec - 60 }, 'it expired at 2026-03-01T11:59:00Z'],
    ['of the future', { iat: nowSec + 60 }, 'it was issued in the future, at 2026-03-01T12:01:00Z'],
    ['without an end', { exp: undefined }, 'it does not say when it expires (exp)'],
    ['without a jti', { jti: undefined }, 'it has no jti'],
    ['without a time', { iat: undefined }, 'it does not say when it was issued (iat)'],
    ['that is an ID token', { nonce: 'n' }, 'it has a nonce, which only an ID token has'],
    ['that is another token', { events: undefined }, 'it is not a logout token (events)'],
    ['about nobody', { sub: undefined, sid: undefined }, 'it names neither a session (sid) nor a person (sub)'],
    ['for access', {}, 'its type (typ) is "at+jwt", not "logout+jwt" or "JWT"', { typ: 'at+jwt' }],
    ['by another key', {}, 'the signature does not hold', { kid: key.kid }, other],
    ['of a silent issuer', { iss: silentIssuer }, `its issuer "${silentIssuer}" is not trusted`, {}, other],
  ])('%s is refused', async (_, claims, note, header, by) => {
    const { written, logOut } = await startReceiver()
    const answer = await logOut(await signLogout(claims, header, by))
    expect({ answer, written }).toEqual({ answer: refused(note), written: [] })
  })

  test.each([
    ['that is not a JWT', 'x', 'it is not a JWT, which has three parts'],
    ['that is missing', '&logout_token=', 'the request has no event'],
  ])('%s is refused', async (_, token, note) => {
    const { written, logOut } = await startReceiver()
    expect({ answer: await logOut(token), written }).toEqual({ answer: refused(note), written: [] })
  })

  test('that could not be written is not confirmed', async () => {
    const { world, logOut } = await startReceiver()
    world.failure = new HelperError('unavailable', 'Redis is away', 'start it')
    expect(await logOut(await signLogout())).toEqual(refused('Redis is away'))
  })
})

describe('a security event', () => {
  const all = { issuer: iss, before, until }
  const revoked = { [`${caep}session-revoked`]: {} }
  const ofDana = { subject: 'dana', ...all }
  const half = { issuer: iss, before: '2026-03-01T11:59:30.000Z', until: '2026-03-01T13:09:30.000Z' }
  test.each<[string, object, object, object[]]>([
    ['session-revoked of a person', revoked, {}, [ofDana]],
    [
      'at the time that it names',
      { [`${caep}session-revoked`]: { event_timestamp: nowSec - 30 } },
      {},
      [{ subject: 'dana', ...half }],
    ],
    ['not at a later time', { [`${caep}session-revoked`]: { event_timestamp: nowSec + 30 } }, {}, [ofDana]],
    ['at the time of toe', revoked, { toe: nowSec - 30 }, [{ subject: 'dana', ...half }]],
    [
      'session-revoked of a session',
      revoked,
      { sub_id: { format: 'complex', user: dana, session: { format: 'opaque', id: 's1' } } },
      [{ session: 's1', ...all }],
    ],
    [
      'the subject in the event',
      { [`${caep}session-revoked`]: { subject: { format: 'opaque', id: 'dana' } } },
      { sub_id: undefined },
      [ofDana],
    ],
    ['credential-change', { [`${caep}credential-change`]: { change_type: 'update' } }, {}, [ofDana]],
    ['a further credential', { [`${caep}credential-change`]: { change_type: 'create' } }, {}, []],
    [
      'token-claims-change of one token',
      { [`${caep}token-claims-change`]: {} },
      { sub_id: { format: 'jwt_id', iss, jti: 't1' } },
      [{ token: 't1', issuer: iss, until }],
    ],
    [
      'account-disabled by address',
      { [`${risc}account-disabled`]: {} },
      { sub_id: { format: 'email', email: 'dana@corp.example' } },
      [{ email: 'dana@corp.example', ...all }],
    ],
    [
      'several events at different times by the latest of them',
      {
        [`${caep}session-revoked`]: {},
        [`${caep}credential-change`]: { event_timestamp: nowSec - 30 },
      },
      {},
      [ofDana],
    ],
    [
      'account-purged by aliases',
      { [`${risc}account-purged`]: {} },
      { sub_id: { format: 'aliases', identifiers: [dana, { format: 'email', email: 'd@x' }] } },
      [ofDana, { email: 'd@x', ...all }],
    ],
    ['an event that ends nothing', { [`${risc}account-enabled`]: {} }, {}, []],
    [
      'the verification of a stream',
      { 'https://schemas.openid.net/secevent/ssf/event-type/verification': {} },
      { sub_id: { format: 'opaque', id: 'stream' } },
      [],
    ],
  ])('revokes %s', async (_, events, claims, entries) => {
    const { written, push } = await startReceiver()
    const answer = await push(await signEvent(events, claims))
    expect({ answer, written }).toEqual({
      answer: { status: 202, body: '' },
      written: entries.map((each) => JSON.stringify(each)),
    })
  })

  test('does not shorten an entry that was there', async () => {
    const { list, written, push } = await startReceiver()
    const hour = now + 3_600_000
    list.add({ kind: 'subject', value: 'dana', issuer: iss, before: Infinity, until: hour })
    expect([await push(await signEvent(revoked)), written, list.list()]).toEqual([
      { status: 202, body: '' },
      [JSON.stringify({ subject: 'dana', issuer: iss, until })],
      [{ kind: 'subject', value: 'dana', issuer: iss, before: Infinity, until: Date.parse(until) }],
    ])
  })

  test('about tokens that have all expired is confirmed, and writes and lifts nothing', async () => {
    const { list, written, push } = await startReceiver()
    const old = { [`${caep}session-revoked`]: { event_timestamp: nowSec - 7200 } }
    const entry = { kind: 'subject', value: 'dana', issuer: iss, before: 1_000, until: now + 1_000 } as const
    const token = await signEvent(old)
    const answers = [await push(token), await push(token)]
    list.add(entry)
    expect([...answers, await push(token), written, list.list()]).toEqual([
      ...Array.from({ length: 3 }, () => ({ status: 202, body: '' })),
      [],
      [entry],
    ])
  })

  const invalid = (description: string) => ['invalid_request', description] as const
  const unsupported = 'its subject has a form that is not supported, or is of another issuer'

  test.each<[string, Parameters<typeof signEvent>, err: string, description: string]>([
    ['of another audience', [revoked, { aud: 'x' }], 'invalid_audience', 'it is for "x", not for "client-1"'],
    ['of another issuer', [revoked, { iss: 'x' }], 'invalid_issuer', 'its issuer "x" is not trusted'],
    ['by an unknown key', [revoked, {}, {}, other], 'invalid_key', 'the issuer has no key for ES256 of this kid'],
    ['by another key', [revoked, {}, { kid: key.kid }, other], 'authentication_failed', 'the signature does not hold'],
    ['of another type', [revoked, {}, { typ: 'JWT' }], ...invalid('its type (typ) is "JWT", not "secevent+jwt"')],
    ['without a type', [revoked, {}, { typ: undefined }], ...invalid('its type (typ) is none, not "secevent+jwt"')],
    ['without events', [{}], ...invalid('it has no events')],
    ['about somebody of another issuer', [revoked, { sub_id: { ...dana, iss: 'x' } }], ...invalid(unsupported)],
    [
      'about a device',
      [revoked, { sub_id: { format: 'complex', device: { format: 'opaque', id: 'd' } } }],
      ...invalid(unsupported),
    ],
  ])('%s is refused', async (_, parts, err, description) => {
    const { written, push } = await startReceiver()
    expect({ answer: await push(await signEvent(...parts)), written }).toEqual({
      answer: { status: 400, body: JSON.stringify({ err, description }) },
      written: [],
    })
  })

  test('that could not be written is asked for again, and another content type has none', async () => {
    const { world, push, written } = await startReceiver()
    world.failure = new HelperError('unavailable', 'Redis is away', 'start it')
    const token = await signEvent(revoked)
    expect([await push(token), await push(token), await push(token, 'text/plain'), written]).toEqual([
      { status: 503, body: '' },
      { status: 503, body: '' },
      { status: 400, body: '{"err":"invalid_request","description":"the request has no event"}' },
      [],
    ])
    world.failure = undefined
    const entry = JSON.stringify(ofDana)
    expect([await push(token), await push(token), written]).toEqual([
      { status: 202, body: '' },
      { status: 202, body: '' },
      [entry],
    ])
  })
})
