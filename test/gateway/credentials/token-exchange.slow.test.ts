import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { grantTypes } from '../../../src/contract/oauth-names.ts'
import {
  createIssuer,
  createRule,
  type FederationRule,
  type Issuer,
} from '../../../src/gateway/credentials/federation-rules.ts'
import { removeIdentity, removeMember } from '../../../src/gateway/credentials/platform-identities.ts'
import { archiveWorkspace, createWorkspace } from '../../../src/gateway/store/workspaces.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { type Answer, message, refusal, type Stage, stageStart, startStage } from '../stage.ts'

const issuerUrl = 'https://issuer.example.com'
const audience = 'https://api.example.com'
const nowSec = stageStart / 1000

async function createSigner(kid: string, alg = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  const jwk = { ...(await exportJWK(publicKey)), kid, alg }
  return {
    jwk,
    // Claims that no issuer would make are tested too.
    sign: (claims: Claims, header = {}) =>
      new SignJWT(claims as JWTPayload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  }
}

type Claims = Readonly<Record<string, unknown>>

const claims = { iss: issuerUrl, aud: audience, sub: 'repo:team/app', iat: nowSec, exp: nowSec + 300 }

interface StartOptions {
  readonly conditions?: Partial<FederationRule['conditions']>
  readonly lifeSec?: number
  readonly keys?: Issuer['keys']
  readonly alg?: string
  readonly identityReuse?: 'allowed'
}

/** A platform with an issuer, whose key is known, and a rule for the team's workspace. */
async function start({ conditions = {}, lifeSec = 3600, keys, alg, identityReuse }: StartOptions = {}) {
  const stage = await startStage()
  const { state, seed } = stage
  const signer = await createSigner('k1', alg)
  const issuerId = createIssuer(state, { issuer: issuerUrl, keys: keys ?? { inline: { keys: [signer.jwk] } } })
  const rule = createRule(state, {
    issuerId,
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience, subject: 'repo:team/*', claims: {}, ...conditions },
    lifeSec,
    ...(identityReuse && { identityReuse }),
  })
  const exchange = (assertion: unknown, change: object = {}) =>
    stage.send('POST', '/v1/oauth/token', {
      body: {
        grant_type: grantTypes.jwtBearer,
        assertion,
        federation_rule_id: rule,
        organization_id: seed.organization,
        ...change,
      },
    })
  return { ...stage, signer, exchange, issuerId }
}

/** Returns the status of an exchange, with the type of the token or the error. */
const summarize = ({ status, body }: Answer) => [status, body.token_type ?? body.error]
const accepted = [200, 'Bearer']

const reasons = ({ records }: Stage) => records.map(({ reason }) => reason)
const opaque = { error: 'invalid_grant', error_description: 'the assertion is not accepted' }

describe('Workload token exchange', () => {
  test('exchanges an identity token for a bearer token that acts as the service account in the workspace of the rule', async () => {
    const { signer, exchange, send } = await start()
    const { status, body, headers } = await exchange(await signer.sign(claims))
    const answer = await send('POST', '/v1/messages', { as: new Secret(body.access_token), body: message })
    expect(toStableValue([status, body, headers.get('cache-control'), answer.status])).toEqual([
      200,
      { access_token: 'sk-vendor-oat01-SECRET', token_type: 'Bearer', expires_in: 3600 },
      'no-store',
      200,
    ])
  })

  test.each([60, 86_400])('gives a token that lives as long as the rule says: %i s', async (lifeSec) => {
    const { signer, exchange, send, advance } = await start({ lifeSec })
    const { body } = await exchange(await signer.sign(claims))
    const use = async () =>
      (await send('POST', '/v1/messages', { as: new Secret(body.access_token), body: message })).status
    advance(lifeSec - 1)
    const before = await use()
    advance(1)
    expect({ stated: body.expires_in, before, after: await use() }).toEqual({
      stated: lifeSec,
      before: 200,
      after: 401,
    })
  })

  test.each([59, 86_401, 60.5, Number.NaN])('refuses a rule for %d s', async (lifeSec) => {
    await expect(start({ lifeSec })).rejects.toEqual(
      new HelperError('usage', `an access token cannot live ${lifeSec} s`, 'choose 60 to 86400 seconds'),
    )
  })

  test('takes the workspace from the request', async () => {
    const { signer, exchange, send, seed } = await start()
    const { body } = await exchange(await signer.sign(claims), { workspace_id: seed.workspaces.default })
    const answer = await send('POST', '/v1/messages', { as: new Secret(body.access_token), body: message })
    expect([answer.status, answer.headers.get('vendor-workspace-id')]).toEqual([200, seed.workspaces.default])
  })

  test.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('accepts a signature with %s', async (alg) => {
    const { signer, exchange } = await start({ alg })
    expect(summarize(await exchange(await signer.sign(claims)))).toEqual(accepted)
  })

  test.each([
    ['is archived', (stage: Stage) => removeIdentity(stage.state, stage.seed.identities.serviceAccount)],
    [
      'is removed from the workspace',
      ({ state, seed }: Stage) => removeMember(state, seed.identities.serviceAccount, seed.workspaces.team),
    ],
  ])('gives a token that stops working when its service account %s', async (_, happen) => {
    const stage = await start()
    const { body } = await stage.exchange(await stage.signer.sign(claims))
    happen(stage)
    const as = new Secret(body.access_token)
    expect(refusal(await stage.send('POST', '/v1/messages', { as, body: message }))).toBe(
      '401 authentication_error: the credential is not accepted',
    )
  })
})

describe('an assertion', () => {
  test.each<[what: string, change: Claims, reason: string]>([
    ['another issuer', { iss: 'https://other.example.com' }, 'claim iss: does not hold'],
    ['another audience', { aud: 'https://other.example.com' }, 'claim aud: does not hold'],
    ['no audience', { aud: undefined }, 'claim aud: missing'],
    ['another subject', { sub: 'repo:other/app' }, 'claim sub: does not match the rule'],
    ['no subject', { sub: undefined }, 'claim sub: missing'],
    ['no exp', { exp: undefined }, 'claim exp: missing'],
    ['exp 30 s ago', { exp: nowSec - 30 }, 'claim exp: does not hold'],
    ['nbf in 31 s', { nbf: nowSec + 31 }, 'claim nbf: does not hold'],
    ['iat in 31 s', { iat: nowSec + 31 }, 'claim iat: in the future'],
  ])('is refused with 400 invalid_grant for %s, and only the record has the reason', async (_, change, reason) => {
    const stage = await start()
    const { status, body } = await stage.exchange(await stage.signer.sign({ ...claims, ...change }))
    expect([status, body, reasons(stage)]).toEqual([400, opaque, [reason]])
  })

  test.each<[what: string, change: Claims]>([
    ['exp 29 s ago', { exp: nowSec - 29 }],
    ['nbf in 30 s', { nbf: nowSec + 30 }],
    ['iat in 30 s', { iat: nowSec + 30 }],
    ['no iat', { iat: undefined }],
    ['one audience of several', { aud: ['https://other.example.com', audience] }],
  ])('is accepted with %s', async (_, change) => {
    const { signer, exchange } = await start()
    expect(summarize(await exchange(await signer.sign({ ...claims, ...change })))).toEqual(accepted)
  })

  const refused = [400, 'invalid_grant']
  test.each<[pattern: string, value: unknown, outcome: (number | string)[]]>([
    ['main', 'main', accepted],
    ['main', 'Main', refused],
    ['main', 'main2', refused],
    ['release/*', 'release/1', accepted],
    ['release/*', 'feature/1', refused],
    ['a.b', 'axb', refused],
    ['7', 7, accepted],
    ['true', true, accepted],
    ['ops', ['dev', 'ops'], accepted],
    ['ops', ['dev'], refused],
    ['*', undefined, refused],
    ['*', null, refused],
    ['*', { a: 1 }, refused],
  ])('is checked by the pattern %j for the claim ref, which is %j: it is %j', async (pattern, value, outcome) => {
    const { signer, exchange } = await start({ conditions: { claims: { ref: pattern } } })
    expect(summarize(await exchange(await signer.sign({ ...claims, ref: value })))).toEqual(outcome)
  })

  test('is used once by its jti and issuer, until no clock accepts it', async () => {
    const stage = await start()
    const { signer, exchange, advance } = stage
    const assertion = await signer.sign({ ...claims, jti: 'one' })
    const answers = [await exchange(assertion), await exchange(assertion)]
    answers.push(await exchange(await signer.sign({ ...claims, jti: 'two' })))
    for (const seconds of [329, 1]) {
      advance(seconds)
      answers.push(await exchange(assertion))
    }
    expect(answers.map(({ status, body }) => (status === 200 ? status : body))).toEqual([
      200,
      opaque,
      200,
      opaque,
      opaque,
    ])
    expect(reasons(stage).filter(Boolean)).toEqual([
      'claim jti: used before',
      'claim jti: used before',
      'claim exp: does not hold',
    ])
  })

  test('may be used more than once while it is valid, if its rule allows that', async () => {
    const { signer, exchange, advance } = await start({ identityReuse: 'allowed' })
    const assertion = await signer.sign({ ...claims, jti: 'one' })
    const statuses = [(await exchange(assertion)).status, (await exchange(assertion)).status]
    advance(330)
    expect([...statuses, (await exchange(assertion)).status]).toEqual([200, 200, 400])
  })

  test('is exchanged once by fifty parallel uses', async () => {
    const { signer, exchange } = await start()
    const assertion = await signer.sign({ ...claims, jti: 'one' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(assertion)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  })

  test('is not used up by an exchange that fails', async () => {
    const { signer, exchange } = await start()
    const assertion = await signer.sign({ ...claims, jti: 'one' })
    const failed = await exchange(assertion, { service_account_id: 'svac_other' })
    expect([failed.body, summarize(await exchange(assertion))]).toEqual([opaque, accepted])
  })

  test('may be used again without a jti', async () => {
    const { signer, exchange } = await start()
    const assertion = await signer.sign(claims)
    expect([(await exchange(assertion)).status, (await exchange(assertion)).status]).toEqual([200, 200])
  })

  test('is refused with the algorithm none or a shared secret', async () => {
    const stage = await start()
    const unsigned = new UnsecuredJWT(claims).encode()
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(new TextEncoder().encode(JSON.stringify(stage.signer.jwk)))
    for (const assertion of [unsigned, shared]) expect((await stage.exchange(assertion)).body).toEqual(opaque)
    expect(reasons(stage)).toEqual(['ERR_JOSE_ALG_NOT_ALLOWED', 'ERR_JOSE_ALG_NOT_ALLOWED'])
  })

  test('is refused with another key, a changed claim, or a text that is not a JWT', async () => {
    const stage = await start()
    const other = await createSigner('k1')
    const unknown = await createSigner('k2')
    const [head, , signature] = (await stage.signer.sign(claims)).split('.')
    const forged = `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'repo:team/x' })).toString('base64url')}.${signature}`
    const assertions = [await other.sign(claims), await unknown.sign(claims), forged, 'none', 'a.b.c', '..']
    for (const assertion of assertions) {
      const { status, body } = await stage.exchange(assertion)
      expect([status, body]).toEqual([400, opaque])
    }
  })

  test.each<[what: string, change: object, reason: string]>([
    ['another rule', { federation_rule_id: 'fdrl_none' }, 'organization or federation rule: unknown'],
    ['another organization', { organization_id: 'org_none' }, 'organization or federation rule: unknown'],
    ['another service account', { service_account_id: 'svac_none' }, 'service account: not the one of the rule'],
    ['an unknown workspace', { workspace_id: 'wrkspc_none' }, 'workspace: unknown'],
  ])('is refused with %s', async (_, change, reason) => {
    const stage = await start()
    const { status, body } = await stage.exchange(await stage.signer.sign(claims), change)
    expect([status, body, reasons(stage)]).toEqual([400, opaque, [reason]])
  })

  test('is refused for a workspace without the service account, an archived one, and an archived service account', async () => {
    const stage = await start()
    const { state, seed, signer, exchange } = stage
    const foreign = createWorkspace(state, 'Foreign').id
    const bodies = [(await exchange(await signer.sign(claims), { workspace_id: foreign })).body]
    archiveWorkspace(state, seed.workspaces.team)
    bodies.push((await exchange(await signer.sign(claims))).body)
    removeIdentity(state, seed.identities.serviceAccount)
    bodies.push((await exchange(await signer.sign(claims), { workspace_id: seed.workspaces.default })).body)
    expect({ bodies, reasons: reasons(stage) }).toEqual({
      bodies: [opaque, opaque, opaque],
      reasons: ['workspace: left', 'workspace: archived', 'service account: archived'],
    })
  })
})

describe('a request that is not a token exchange', () => {
  test.each<[what: string, change: object, error: string]>([
    ['another grant', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['no grant', { grant_type: undefined }, 'invalid_request'],
    ['no rule', { federation_rule_id: undefined }, 'invalid_request'],
    ['no organization', { organization_id: undefined }, 'invalid_request'],
    ['an assertion that is a number', { assertion: 1 }, 'invalid_request'],
    ['an assertion beyond 16 KiB', { assertion: 'a'.repeat(16 * 1024 + 1) }, 'invalid_request'],
  ])('is refused for %s', async (_, change, error) => {
    const { exchange } = await start()
    const { status, body } = await exchange('a.b.c', change)
    expect([status, body.error]).toEqual([400, error])
  })

  test('is refused for a form in place of JSON', async () => {
    const { send } = await start()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status, body } = await send('POST', '/v1/oauth/token', { headers, body: 'grant_type=x' })
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'content-type must be application/json' },
    ])
  })
})

describe('the keys of an issuer', () => {
  /** An issuer whose keys can change, and a count of how often they were fetched. */
  async function startIssuer() {
    const published = { keys: [] as object[], status: 200, fetched: 0 }
    const server = createServer((_, response) => {
      published.fetched += 1
      response
        .writeHead(published.status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ keys: published.keys }))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    return { published, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks` }
  }

  test('are fetched again for a token with a new key', async () => {
    const { published, url } = await startIssuer()
    const { exchange, signer } = await start({ keys: { url } })
    const next = await createSigner('k2')
    const exchangeFor = async ({ sign }: typeof signer) => ({
      status: (await exchange(await sign(claims))).status,
      fetched: published.fetched,
    })
    published.keys = [signer.jwk]
    const cached = [await exchangeFor(signer), await exchangeFor(signer)]
    published.keys = [next.jwk]
    const renewed = await exchangeFor(next)
    const { body } = await exchange(await signer.sign(claims))
    expect({ cached, renewed, oldKey: body }).toEqual({
      cached: Array(2).fill({ status: 200, fetched: 1 }),
      renewed: { status: 200, fetched: 2 },
      oldKey: opaque,
    })
  })

  test('are cached for ten minutes', async () => {
    const { published, url } = await startIssuer()
    const { exchange, signer } = await start({ keys: { url } })
    published.keys = [signer.jwk]
    await exchange(await signer.sign(claims))
    published.keys = []
    const assertion = await signer.sign(claims)
    onTestFinished(() => void vi.useRealTimers())
    const fetchedAt = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: fetchedAt + 599_000 })
    const within = { outcome: summarize(await exchange(assertion)), fetched: published.fetched }
    vi.setSystemTime(fetchedAt + 601_000)
    expect({ within, after: (await exchange(assertion)).body, isFetchedAnew: published.fetched > 1 }).toEqual({
      within: { outcome: accepted, fetched: 1 },
      after: opaque,
      isFetchedAnew: true,
    })
  })

  test('that cannot be fetched leave the assertion unused', async () => {
    const { published, url } = await startIssuer()
    const stage = await start({ keys: { url } })
    published.status = 500
    const assertion = await stage.signer.sign({ ...claims, jti: 'one' })
    const failed = await stage.exchange(assertion)
    Object.assign(published, { status: 200, keys: [stage.signer.jwk] })
    expect([failed.body, summarize(await stage.exchange(assertion))]).toEqual([opaque, accepted])
  })

  test('are not fetched over plain http from elsewhere', async () => {
    await expect(start({ keys: { url: 'http://issuer.example.com/jwks' } })).rejects.toEqual(
      new HelperError('usage', 'the keys must be fetched over https', 'name an https URL, or one on loopback'),
    )
  })
})
