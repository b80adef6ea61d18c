import { createHash, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { createIdentity } from '../verifier/made-up-checks.ts'
import { createCheckClient } from './ask-check.ts'
import { startVerifierStage } from './verifier-stage.ts'

const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const

async function startStage(given: Parameters<typeof startVerifierStage>[0] = {}) {
  const stage = await startVerifierStage({ grpcListen: local, ...given })
  return { ...stage, client: createCheckClient(`127.0.0.1:${stage.grpcPort}`) }
}

const bearer = (token: string, more: object = {}) => ({ headers: { authorization: `Bearer ${token}`, ...more } })

const replacement = (key: string, value: string) => ({
  header: { key, value },
  append: {}, // false
  appendAction: 2, // OVERWRITE_IF_EXISTS_OR_ADD
})

const text = (stringValue: string) => ({ stringValue })

const credentials = ['authorization', 'proxy-authorization', 'x-api-key', 'dpop', 'cookie']

const accepted = (removed: readonly string[] = []) => ({
  status: {}, // OK
  okResponse: {
    headers: [replacement('x-user', 'a-b-c')],
    headersToRemove: ['x-team', ...credentials, ...removed],
  },
  dynamicMetadata: {
    fields: { rule: text('staff'), issuer: text('https://idp.example'), subject: text('a-b-c') },
  },
})

/** Returns an answer without what differs each time. */
function withoutIds(answer: object): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/req_[\w-]+/g, 'req_…'))
}

const refused = (code: number, status: number, reason: string, message: string, challenge: string) => ({
  status: { code, message },
  deniedResponse: {
    status: { code: status },
    headers: [
      replacement('www-authenticate', challenge),
      replacement('gatepass-refusal', reason),
      replacement('cache-control', 'no-store'),
      replacement('content-type', 'application/json'),
    ],
    body: JSON.stringify({
      type: 'error',
      error: { type: 'authentication_error', message, reason },
      request_id: 'req_…',
    }),
  },
  dynamicMetadata: { fields: { reason: text(reason), request: text('req_…') } },
})

const severalTokens = refused(
  16,
  401,
  'several-tokens',
  'the request has more than one token',
  'Bearer realm="gatepass", error="invalid_token", error_description="the request has more than one token"',
)

const noCertificate = 'it is bound to a client certificate, and the gateway passes none on'
const otherCertificate = 'the token is bound to another client certificate than that of the request'
const withoutCertificate = {
  status: { code: 16, message: otherCertificate },
  deniedResponse: {
    status: { code: 401 },
    headers: [
      replacement(
        'www-authenticate',
        `Bearer realm="gatepass", error="invalid_token", error_description="${otherCertificate}: ${noCertificate}"`,
      ),
      replacement('gatepass-refusal', 'certificate'),
      replacement('gatepass-refusal-detail', noCertificate),
      replacement('cache-control', 'no-store'),
      replacement('content-type', 'application/json'),
    ],
    body: JSON.stringify({
      type: 'error',
      error: {
        type: 'authentication_error',
        message: otherCertificate,
        reason: 'certificate',
        detail: noCertificate,
      },
      request_id: 'req_…',
    }),
  },
  dynamicMetadata: { fields: { reason: text('certificate'), request: text('req_…') } },
}

describe('Envoy over gRPC', () => {
  test('gets the headers of the policy in place of the caller’s, and the token is removed', async () => {
    const { client, asked } = await startStage()
    const answers = [
      await client.check(bearer('a.b.c')),
      await client.check(bearer('a.b.c', { 'x-user': 'root', 'x-team': 'admins' })), // from the cache
    ]
    expect({ answers, asked }).toEqual({ answers: [accepted(), accepted()], asked: ['a.b.c'] })
  })

  test('has a token that is bound to a certificate pass with that certificate alone', async () => {
    const { cert } = createAuthority('Client Authority').issue({ names: ['client.example'] })
    const certificate = createHash('sha256').update(new X509Certificate(cert).raw).digest('base64url')
    const jwt = async () => ({ ...createIdentity('jwt', 'a-b-c'), binding: { certificate } })
    const { client } = await startStage({ made: { checks: { jwt } } })
    const inHeader = bearer('a.b.c', { 'x-forwarded-client-cert': encodeURIComponent(cert) })
    expect([
      await client.check(bearer('a.b.c'), 5_000, { certificate: encodeURIComponent(cert) }),
      withoutIds(await client.check(inHeader)),
    ]).toEqual([accepted(), withoutCertificate])
  })

  test('removes only headers that a program may take for those of the policy', async () => {
    const { client } = await startStage()
    const more = { x_user: 'root', 'x.team': 'admins', X_TEAM: 'admins', x_other: 'stays', ':path': '/' }
    expect(await client.check(bearer('a.b.c', more))).toEqual(accepted(['x_user', 'x.team', 'X_TEAM']))
  })

  test('may give headers as raw lines', async () => {
    const { client } = await startStage()
    const lines = (...values: string[]) => ({
      headerMap: { headers: values.map((value) => ({ key: 'authorization', rawValue: Buffer.from(value) })) },
    })
    expect([
      await client.check(lines('Bearer a.b.c')),
      withoutIds(await client.check(lines('Bearer a.b.c', 'Bearer a.b.c'))),
      withoutIds(await client.check({ ...lines('Bearer a.b.c'), ...bearer('a.b.d') })),
    ]).toEqual([accepted(), severalTokens, severalTokens])
  })

  test('gets no pass for a list of tokens, which it joins by a comma', async () => {
    const { client } = await startStage()
    expect(withoutIds(await client.check(bearer('a.b.c,Bearer a.b.c')))).toEqual(severalTokens)
  })

  test.each<[token: string, code: number, status: number, reason: string]>([
    ['a.refused-signature.c', 16, 401, 'signature'],
    ['a.stranger.c', 7, 403, 'no-rule'],
    ['a.refused-keys-unavailable.c', 14, 503, 'keys-unavailable'],
    ['a.defect.c', 14, 500, 'defect'],
  ])('gets for %s the status %i of gRPC, and %i over HTTP', async (token, code, status, reason) => {
    const { client } = await startStage()
    const answer = (await client.check(bearer(token))) as ReturnType<typeof refused> // by the definition
    expect([answer.status.code, answer.deniedResponse.status.code, answer.dynamicMetadata.fields.reason]).toEqual([
      code,
      status,
      text(reason),
    ])
  })

  test('gets a refusal for a request without a token, and for one without any attributes', async () => {
    const { client } = await startStage()
    const noToken = refused(16, 401, 'no-token', 'the request has no token', 'Bearer realm="gatepass"')
    expect(withoutIds(await client.check({}))).toEqual(noToken)
    expect(withoutIds(await client.check({ headers: { ['__proto__']: 'Bearer a.b.c' } }))).toEqual(noToken)
  })

  test.each(['a.b.c\r\nx-user: root', 'a.b.c\0', 'a.b.\u00e4', 'a b.c'])(
    'gets a refusal for %j, which is malformed',
    async (token) => {
      const { client, asked } = await startStage()
      const { reason } = ((await client.check(bearer(token))) as ReturnType<typeof refused>).dynamicMetadata.fields // by the definition
      expect([reason, asked]).toEqual([text('malformed'), []])
    },
  )

  test('gets no pass for a value that no header can hold', async () => {
    const { client, lines } = await startStage({
      made: { checks: { jwt: async (token) => createIdentity('jwt', `${token}\r\nx-team: root`) } },
    })
    const answer = (await client.check(bearer('a.b.c'))) as ReturnType<typeof refused> // by the definition
    expect([answer.deniedResponse.status.code, answer.dynamicMetadata.fields.reason]).toEqual([500, text('defect')])
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual(['defect'])
  })

  test('has its id of a refused request in the log', async () => {
    const { client, lines } = await startStage()
    await client.check({ headers: { 'x-request-id': '4bf9-22' } })
    const [{ time, request, ...entry }] = lines.map((line) => JSON.parse(line))
    expect([typeof time, request.slice(0, 4), entry]).toEqual([
      'string',
      'req_',
      {
        level: 'warning',
        event: 'refused',
        message: 'the request has no token',
        status: 401,
        reason: 'no-token',
        note: 'there is no authorization with a token',
        gateway_request: '4bf9-22',
      },
    ])
  })

  test('is answered at its deadline, and the next call waits for the same verification', async () => {
    const release = Promise.withResolvers<void>()
    const asked: string[] = []
    const jwt = async (token: string) => {
      asked.push(token)
      await release.promise
      return createIdentity('jwt', 'a-b-c')
    }
    const { client } = await startStage({ made: { checks: { jwt } } })
    expect(await client.check(bearer('a.b.c'), 100)).toEqual({ code: 4, details: expect.any(String) })
    release.resolve()
    expect([await client.check(bearer('a.b.c')), asked]).toEqual([accepted(), ['a.b.c']])
  })

  test('gets a refusal for a message that is too long, and an answer to the next one', async () => {
    const { client } = await startStage()
    expect(await client.check({ headers: { 'x-long': 'x'.repeat(300 * 1024) } })).toEqual({
      code: 8,
      details: expect.any(String),
    })
    expect(await client.check(bearer('a.b.c'))).toEqual(accepted())
  })
})

test('the health of the server is serving, not serving without keys, or unknown for another service', async () => {
  const { client, world } = await startStage()
  const services = ['', 'envoy.service.auth.v3.Authorization', 'other']
  const healthy = await Promise.all(services.map((service) => client.health(service)))
  const away = { issuer: 'https://idp.example', standing: 'none', keys: 0, fetchedAt: undefined, failure: {} } as const
  world.facts = { ...world.facts, issuers: [away] }
  expect({ healthy, withoutKeys: await client.health('') }).toEqual({
    healthy: [{ status: 1 }, { status: 1 }, { code: 5, details: 'there is no such service' }],
    withoutKeys: { status: 2 },
  })
})
