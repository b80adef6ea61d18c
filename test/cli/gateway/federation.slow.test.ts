import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runGatepass, writeTemporary } from '../run-gatepass.ts'
import { startServer } from '../start-server.ts'
import { startGatewayCommand } from './start-gateway-command.ts'

const issuer = 'https://idp.example'
const audience = 'https://api.example.com'

async function createKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const sign = () =>
    new SignJWT({ sub: 'repo:team/app' })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey)
  return { sign, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } }
}

/** An identity provider that publishes keys, and a gateway whose console is told of it, all by the command line. */
async function start(keysFlag: (keysUrl: string) => readonly string[]) {
  const published = { keys: [] as object[], status: 200, paths: [] as string[] }
  const keysUrl = await startServer((message, response) => {
    published.paths.push(message.url ?? '')
    response.writeHead(published.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ keys: published.keys }))
  })
  const db = join(await temporaryDirectory(), 'state.db')
  const console = async (...argv: string[]) => {
    const { status, stdout, stderr } = await runGatepass('gateway', ...argv, '--db', db)
    expect([status, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }
  const seed = await console('seed')
  const { id } = await console('federation', 'issuer', issuer, ...keysFlag(keysUrl))
  const target = ['--service-account', seed.identities.serviceAccount, '--workspace', seed.workspaces.team]
  const conditions = ['--audience', audience, '--subject', 'repo:team/*']
  const rule = await console('federation', 'rule', '--issuer', id, ...target, ...conditions)
  const { started, stop } = await startGatewayCommand('--db', db)
  const exchange = async (assertion: string): Promise<number> => {
    const request = {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
      federation_rule_id: rule.id,
    }
    const { status } = await fetch(`${started.url}/v1/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, organization_id: rule.organization }),
    })
    return status
  }
  return { published, exchange, stop }
}

test('--jwks-url fetches keys, keeps them, and fetches them again when they rotate', async () => {
  const { published, exchange, stop } = await start((url) => ['--jwks-url', `${url}/keys`])
  const [first, second] = [await createKey('k1'), await createKey('k2')]
  /** Returns the statuses of an exchange by each of these keys, and how often the keys were fetched until then. */
  const exchangeAll = async (...keys: readonly (typeof first)[]) => {
    const statuses: number[] = []
    for (const key of keys) statuses.push(await exchange(await key.sign()))
    return { statuses, fetches: published.paths.length }
  }
  published.keys = [first.jwk]
  const atFirst = await exchangeAll(first, first)
  published.keys = [first.jwk, second.jwk]
  const withSecond = await exchangeAll(second, first)
  published.keys = [second.jwk]
  const withoutFirst = await exchangeAll(await createKey('k3'), first, second) // the unknown key has them fetched
  const logged = (await stop()).stderr.match(/POST \/v1\/oauth\/token \d+( \([^)]*\))?/g)
  expect({ atFirst, withSecond, withoutFirst, paths: new Set(published.paths), logged }).toEqual({
    atFirst: { statuses: [200, 200], fetches: 1 },
    withSecond: { statuses: [200, 200], fetches: 2 },
    withoutFirst: { statuses: [400, 400, 200], fetches: expect.any(Number) },
    paths: new Set(['/keys']),
    logged: [
      ...Array(4).fill('POST /v1/oauth/token 200'),
      ...Array(2).fill('POST /v1/oauth/token 400 (ERR_JWKS_NO_MATCHING_KEY)'),
      'POST /v1/oauth/token 200',
    ],
  })
})

test('an exchange is refused until the keys can be fetched', async () => {
  const { published, exchange } = await start((url) => ['--jwks-url', `${url}/keys`])
  const key = await createKey('k1')
  Object.assign(published, { keys: [key.jwk], status: 503 })
  expect(await exchange(await key.sign())).toBe(400)
  published.status = 200
  expect(await exchange(await key.sign())).toBe(200)
})

test('--jwks-file takes the keys that the file holds now', async () => {
  const key = await createKey('k1')
  const file = await writeTemporary('jwks.json', JSON.stringify({ keys: [key.jwk] }))
  const { published, exchange } = await start(() => ['--jwks-file', file])
  expect([await exchange(await key.sign()), published.paths]).toEqual([200, []])
})

test.each<[what: string, argv: string[], why: string]>([
  ['keys over plain http', ['--jwks-url', 'http://idp.example/keys'], 'the keys must be fetched over https'],
  ['a malformed address', ['--jwks-url', 'idp.example'], 'the keys must be fetched over https'],
  ['a missing file', ['--jwks-file', '/nowhere/jwks.json'], '/nowhere/jwks.json holds no keys'],
  ['a file without keys', ['--jwks-file', 'EMPTY'], 'holds no keys'],
  ['both options', ['--jwks-url', 'https://idp.example/keys', '--jwks-file', 'EMPTY'], 'cannot be used with option'],
])('refuses %s', async (_, argv, why) => {
  const empty = await writeTemporary('jwks.json', '{"a":1}')
  const db = join(await temporaryDirectory(), 'state.db')
  const given = argv.map((text) => (text === 'EMPTY' ? empty : text))
  const { status, stdout, stderr } = await runGatepass('gateway', 'federation', 'issuer', issuer, ...given, '--db', db)
  expect([status !== 0, stdout, stderr.includes(why)]).toEqual([true, '', true])
})
