import { readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { digestFile } from '../../../src/bootstrap/read-release-file.ts'
import { computeExpiry } from '../../../src/bootstrap/serve/answer-identity.ts'
import { start } from '../../verify/verifier/made-up-checks.ts'
import { bearerOf, startBootstrapStage } from './bootstrap-stage.ts'

const groups = [{ name: 'eng', claims: { groups: ['eng'] } }]
const documents = {
  '': { inference: { provider: 'gateway' } },
  eng: { inference: { baseUrl: 'https://eng.example.com' } },
}
const dana = { sub: 'dana' }
const etagOf = (document: object) => `"${digestFile(JSON.stringify(document))}"`

describe('GET of the path', () => {
  test('gives a person the document of the groups, with the moment at which it expires', async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ groups, documents })
    const answer = await stage.ask(bearerOf({ sub: 'dana', groups: ['eng'] }))
    const expiresAt = computeExpiry('dana', { expiresSec: 3600, now: start })
    const body = `{"expiresAt":${expiresAt},"inference":{"baseUrl":"https://eng.example.com"}}`
    expect(answer).toEqual({
      status: 200,
      headers: {
        etag: etagOf(documents.eng),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json',
        'content-length': String(body.length),
      },
      body,
    })
  })

  test('gives 304 as long as the meaning is the same', async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ groups, documents })
    await stage.ask(bearerOf(dana))
    stage.world.now += 200_000
    const again = await stage.ask({ ...bearerOf(dana), 'if-none-match': etagOf(documents['']) })
    expect(again).toEqual({
      status: 304,
      headers: { etag: etagOf(documents['']), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      body: '',
    })
  })

  test.each([
    ['any document', '*', 304],
    ['one of several', ` "other" , W/${etagOf(documents[''])},"c"`, 304],
    ['another one', '"other"', 200],
    ['what is no entity tag', etagOf(documents['']).slice(1, -1), 200],
    ['too much to be read', `${etagOf(documents[''])}, "${'a'.repeat(5000)}"`, 200],
  ])('the status shows whether a client that holds %s has the document', async (_, held, status) => {
    const stage = await startBootstrapStage()
    await stage.publish({ groups, documents })
    expect((await stage.ask({ ...bearerOf(dana), 'if-none-match': held })).status).toBe(status)
  })

  test('gives an empty document with its expiry', async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ documents: { '': {} } })
    const { body } = await stage.ask(bearerOf(dana))
    expect(JSON.parse(body)).toEqual({ expiresAt: computeExpiry('dana', { expiresSec: 3600, now: start }) })
  })

  test('gives the flat form where the server is set so, with the same entity tag', async () => {
    const stage = await startBootstrapStage({ form: 'flat' })
    await stage.publish({ documents: { '': { inference: { provider: 'gateway', baseUrl: 'https://a.example.com' } } } })
    const { headers, body } = await stage.ask(bearerOf(dana))
    const { expiresAt: _, ...flat } = JSON.parse(body)
    expect({ etag: headers.etag, flat }).toEqual({
      etag: etagOf({ inference: { provider: 'gateway', baseUrl: 'https://a.example.com' } }),
      flat: { inferenceProvider: 'gateway', inferenceGatewayBaseUrl: 'https://a.example.com' },
    })
  })
})

describe('only a good token of an entitled person gets a document', () => {
  const refusal = (status: number, error: string, text: string, reason: string) => ({
    status,
    challenge: `Bearer realm="gatepass"${error === '' ? '' : `, error="${error}", error_description="${text}"`}`,
    reason,
  })
  test.each<[string, object | undefined, object]>([
    ['no token', undefined, refusal(401, '', '', 'no-token')],
    ['an expired one', { refused: 'expired' }, refusal(401, 'invalid_token', 'the token has expired', 'expired')],
    [
      'one for another audience',
      { refused: 'audience' },
      refusal(401, 'invalid_token', 'the token is for another audience', 'audience'),
    ],
    [
      'one that the policy has no rule for',
      { refused: 'no-rule' },
      refusal(403, 'insufficient_scope', 'the token is good, and no rule of the policy lets its owner pass', 'no-rule'),
    ],
    [
      'a person in no group',
      { sub: 'dana' },
      refusal(
        403,
        'insufficient_scope',
        'the token is good, and there is no configuration for its owner: no group of the rollout has its claims',
        'not-entitled',
      ),
    ],
    [
      'a token without the claim that names a person',
      { groups: ['eng'] },
      refusal(
        403,
        'insufficient_scope',
        'the token is good, and there is no configuration for its owner: the token does not have the claim that names a person',
        'not-entitled',
      ),
    ],
  ])('refuses %s', async (_title, claims, expected) => {
    const stage = await startBootstrapStage()
    await stage.publish({ groups, others: 'nothing', documents: { eng: { a: 1 } } })
    const { status, headers, body } = await stage.ask(claims ? bearerOf(claims) : {})
    expect({ status, challenge: headers['www-authenticate'], reason: JSON.parse(body).error.reason }).toEqual(expected)
    expect([headers.etag, headers['cache-control']]).toEqual([undefined, 'no-store'])
  })

  test.each([
    ['POST', '/bootstrap', 405, 'GET'],
    ['HEAD', '/bootstrap', 405, 'GET'],
    ['GET', '/', 404, undefined],
    ['GET', '/Bootstrap', 404, undefined],
    ['GET', '/bootstrap/', 404, undefined],
    ['GET', '/bootstrap/erin', 404, undefined],
    ['GET', '//bootstrap', 404, undefined],
    ['GET', '/%62ootstrap', 404, undefined],
    ['GET', '/x/../bootstrap', 404, undefined],
    ['GET', '/bootstrap;x', 404, undefined],
    ['GET', '/%EF%BD%82ootstrap', 404, undefined],
    ['GET', 'http://127.0.0.1/bootstrap', 404, undefined],
  ])('%s %s is answered with %i', async (method, target, status, allow) => {
    const stage = await startBootstrapStage()
    await stage.publish({ documents })
    const answer = await stage.ask(bearerOf(dana), target, method)
    expect({ status: answer.status, allow: answer.headers.allow, body: answer.body }).toEqual({
      status,
      allow,
      body: '',
    })
  })

  test('nothing else in a request decides whose document it gets', async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ groups, documents })
    const attempts = [
      stage.ask(bearerOf(dana), '/bootstrap?sub=erin&groups=eng'),
      stage.ask({ ...bearerOf(dana), 'x-user': 'erin', 'x-groups': 'eng', 'x-forwarded-user': 'erin' }),
      stage.ask({ ...bearerOf(dana), 'x-original-url': '/bootstrap/erin', 'x-http-method-override': 'PUT' }),
      stage.ask({ ...bearerOf({ sub: 'dana', groups: ['ENG', 'ｅng', 'eng ', 'eng\n'] }) }),
      stage.ask({ ...bearerOf({ sub: 'dana', Groups: ['eng'], 'groups.': ['eng'] }) }),
    ]
    const tags = (await Promise.all(attempts)).map(({ headers }) => headers.etag)
    expect(tags).toEqual(attempts.map(() => etagOf(documents[''])))
  })

  test('two tokens are refused', async () => {
    const stage = await startBootstrapStage({ tokenHeaders: ['authorization', 'x-device'] })
    await stage.publish({ documents })
    const { authorization } = bearerOf({ sub: 'erin' })
    const { status, body } = await stage.ask({ ...bearerOf(dana), 'x-device': authorization })
    expect([status, JSON.parse(body).error.reason]).toEqual([401, 'several-tokens'])
  })

  test("the entity tag of another person's document does not match", async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ groups, documents })
    const condition = { 'if-none-match': etagOf(documents.eng) }
    const answers = [await stage.ask({ ...bearerOf(dana), ...condition }), await stage.ask(condition)]
    expect(answers.map(({ status, headers }) => [status, headers.etag])).toEqual([
      [200, etagOf(documents[''])],
      [401, undefined],
    ])
  })
})

describe('without a release that may be served', () => {
  const reasonOf = ({ status, headers, body }: { status: number; headers: IncomingHttpHeaders; body: string }) => [
    status,
    headers['retry-after'],
    JSON.parse(body).error.reason,
  ]

  test('the answer is 503 with the time after which to ask again', async () => {
    const stage = await startBootstrapStage()
    expect(reasonOf(await stage.ask(bearerOf(dana)))).toEqual([503, '10', 'no-release'])
  })

  test('readiness says why', async () => {
    const { admin } = await startBootstrapStage()
    const ready = await fetch(`${admin}/readyz`)
    expect([ready.status, await ready.text()]).toEqual([503, 'there is no release yet that may be served\n'])
  })

  test('a bad token is refused as before', async () => {
    const stage = await startBootstrapStage()
    expect(reasonOf(await stage.ask(bearerOf({ refused: 'signature' })))).toEqual([401, undefined, 'signature'])
  })
})

describe('a release that does not verify', () => {
  test('is not served, and the last good one goes on until the next good one', async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ documents: { '': { a: 1 } } })
    const good = await readFile(join(stage.folder.path, 'current.json'))
    const manifest = await stage.folder.addRelease({ counter: 2, documents: { '': { a: 2 } } })
    await stage.folder.point({ manifest, serial: 2 })
    await rm(join(stage.folder.path, `documents/${digestFile('{"a":2}')}.json`))
    await stage.follower.look()
    await stage.follower.look()
    const kept = await stage.ask(bearerOf(dana))
    await writeFile(join(stage.folder.path, 'current.json'), good)
    await stage.follower.look()
    await stage.publish({ counter: 3, documents: { '': { a: 3 } } }, { serial: 3 })
    const next = await stage.ask(bearerOf(dana))
    expect([kept.headers.etag, next.headers.etag]).toEqual([etagOf({ a: 1 }), etagOf({ a: 3 })])
    expect(stage.events.map(({ kind }) => kind)).toEqual(['nothing', 'served', 'kept', 'recovered', 'served'])
  })

  test('is refused whole where one of its documents cannot be served', async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ groups, documents: { '': { a: 1 }, eng: { command: '/opt/{claims.sub}' } } })
    const [, event] = stage.events
    expect([(await stage.ask(bearerOf(dana))).status, event && 'failure' in event && event.failure.message]).toEqual([
      503,
      `the document ${digestFile('{"command":"/opt/{claims.sub}"}').slice(0, 12)} cannot be served: command: a claim can fill in only headers and attributes, because anywhere else it could name a program or a server`,
    ])
  })
})

describe('the values of a person', () => {
  const document = {
    inference: { customHeaders: { 'x-user': '{claims.email}', 'x-note': 'all {of} {claims.sub}' } },
    key: '{secret.gateway-key}',
    otlpResourceAttributes: { team: '{claims.team}' },
  }
  const erin = { sub: 'erin', email: 'erin@example.com', team: 'red' }

  test('are filled in from the claims, and from secrets of the server', async () => {
    const stage = await startBootstrapStage({ secrets: { 'gateway-key': 'k-123' } })
    await stage.publish({ documents: { '': document } })
    const { expiresAt: _, ...filled } = JSON.parse((await stage.ask(bearerOf(erin))).body)
    expect(filled).toEqual({
      inference: { customHeaders: { 'x-user': 'erin@example.com', 'x-note': 'all {of} erin' } },
      key: 'k-123',
      otlpResourceAttributes: { team: 'red' },
    })
  })

  test('change the entity tag, which is the same in both forms and on every server', async () => {
    const only = { inference: { customHeaders: document.inference.customHeaders } }
    const tags: unknown[] = []
    for (const form of ['nested', 'flat'] as const) {
      const stage = await startBootstrapStage({ form })
      await stage.publish({ documents: { '': only } })
      for (const sub of ['erin', 'dana']) {
        const { headers } = await stage.ask(bearerOf({ sub, email: 'x@example.com' }))
        const again = await stage.ask({ ...bearerOf({ sub, email: 'x@example.com' }), 'if-none-match': headers.etag! })
        tags.push({ etag: headers.etag, again: again.status })
      }
    }
    const [erin, other] = tags.slice(0, 2).map((tag) => Object(tag).etag)
    expect({ tags, isSame: erin === other }).toEqual({
      tags: [erin, other, erin, other].map((etag) => ({ etag, again: 304 })),
      isSame: false,
    })
  })

  test.each<[string, object, string]>([
    [
      'a claim that is missing',
      { sub: 'erin' },
      'a header asks for {claims.email}, which the token does not have; it has sub',
    ],
    [
      'a line break in a claim',
      { ...erin, email: 'a\r\nx-admin: 1' },
      'inference.customHeaders.x-user: the value of "x-user" has a character beyond visible ASCII and spaces',
    ],
    [
      'a line break in an attribute',
      { ...erin, team: 'red\u2028' },
      'otlpResourceAttributes.team: the text has a control character or a line break',
    ],
  ])('%s gives no document', async (_title, claims, problem) => {
    const stage = await startBootstrapStage({ secrets: { 'gateway-key': 'k' } })
    await stage.publish({ documents: { '': document } })
    const { status, body } = await stage.ask(bearerOf(claims))
    const { reason, detail } = JSON.parse(body).error
    expect([status, reason, detail]).toEqual([403, 'not-entitled', problem])
  })

  test('a secret that the server does not have keeps the release from being served', async () => {
    const stage = await startBootstrapStage()
    await stage.publish({ documents: { '': { apiKey: '{secret.other}' } } })
    const { status, body } = await stage.ask(bearerOf(erin))
    expect([status, JSON.parse(body).error.reason]).toEqual([503, 'no-release'])
  })
})

describe('waves', () => {
  test('a halted release stays with those who hold it, and the one before it with the others', async () => {
    const stage = await startBootstrapStage()
    const previous = await stage.folder.addRelease({ documents: { '': { a: 1 } } })
    await stage.publish({ counter: 2, previous, documents: { '': { a: 2 } } }, { wave: 2, state: 'halted' })
    const held = await stage.ask({ ...bearerOf(dana), 'if-none-match': etagOf({ a: 1 }) })
    const holding = await stage.ask({ ...bearerOf(dana), 'if-none-match': etagOf({ a: 2 }) })
    const fresh = await stage.ask(bearerOf(dana))
    expect([held.status, holding.status, fresh.headers.etag]).toEqual([304, 304, etagOf({ a: 2 })])
  })
})

describe('the moment of expiry', () => {
  test('lies between a half and three halves of the period, and spreads a fleet evenly', () => {
    const settings = { expiresSec: 3600, now: start }
    const moments = Array.from({ length: 20_000 }, (_, index) => computeExpiry(`person-${index}`, settings))
    const waits = moments.map((moment) => moment - start / 1000)
    const minutes = Map.groupBy(waits, (wait) => Math.floor(wait / 60))
    const sizes = [...minutes.values()].map(({ length }) => length)
    expect([Math.min(...waits) >= 1800, Math.max(...waits) < 5400]).toEqual([true, true])
    expect([sizes.length, Math.max(...sizes) < 2 * (20_000 / 60)]).toEqual([60, true])
  })

  test('is the same for a person who asks again soon', () => {
    const moments = [0, 1, 30, 60].map((sec) => computeExpiry('dana', { expiresSec: 3600, now: start + sec * 1000 }))
    expect(new Set(moments)).toEqual(new Set([moments[0]]))
  })
})
