import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createLocalJWKSet, createRemoteJWKSet, exportJWK, generateKeyPair } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { createIssuer, createRule } from '../../../src/gateway/credentials/federation-rules.ts'
import { seedPlatform } from '../../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../../src/gateway/start-platform.ts'
import { openState } from '../../../src/gateway/store/state.ts'
import { editEntries } from '../../cache/start-run.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { type Outcome, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { answerGrant } from '../../stand-ins/identity/exchange-rules.ts'
import { startExchangeServer } from '../../stand-ins/identity/exchange-server.ts'
import {
  type Claims,
  createIdentityProvider,
  type IdentityProvider,
  issuer,
} from '../../stand-ins/identity/identity-provider.ts'
import { failure } from './desk.ts'
import { opens, startPersonDesk } from './person-desk.ts'
import { program, seedSignIn } from './seed-sign-in.ts'

const site = [
  '--client-id',
  'desk',
  '--authorization-url',
  'https://id.example/authorize',
  '--token-url',
  'https://id.example/token',
]

/** Prepares a person who has signed in elsewhere, and a server that exchanges their tokens; runs of the built helper between them. */
async function startStage(claims: Claims = {}) {
  const home = await temporaryDirectory()
  const provider = await createIdentityProvider()
  const server = await startExchangeServer({
    trusted: { issuer, keys: createLocalJWKSet(provider.jwks), audience: 'desk' },
    clients: { desk: { grants: ['jwt-bearer'] }, app: { secret: 'canary', grants: ['token-exchange'] } },
    targets: ['gateway'],
    scopes: ['chat'],
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const idToken = await provider.sign({ aud: 'desk', sub: 'alice', email: 'alice@example.com', ...claims })
  await seedSignIn(home, site, { idToken, lifeSec: 300 })
  return {
    home,
    provider,
    server,
    idToken,
    run: async (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> => {
      const outcome = await runBundle(program, { argv: [...site, ...argv], env: { HOME: home, ...env } })
      expect(['eyJ', 'canary'].filter((secret) => outcome.stderr.includes(secret))).toEqual([])
      return outcome
    },
  }
}

/** Starts the platform, with a rule for one of the people of a provider. */
async function startTrustingPlatform(home: string, provider: IdentityProvider, subject: string) {
  const db = join(home, 'state.db')
  const state = openState({ file: db, now: Date.now })
  const seed = seedPlatform(state)
  const rule = createRule(state, {
    issuerId: createIssuer(state, { issuer, keys: { inline: provider.jwks } }),
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience: 'desk', subject, claims: {} },
    lifeSec: 3600,
  })
  const platform = await startPlatform({ state })
  onTestFinished(async () => {
    await platform.close()
    state.close()
  })
  return { platform, seed, rule, db }
}

function readDocument({ status, stdout, stderr }: Outcome) {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { token, headers } = JSON.parse(stdout)
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  return { iss: claims.iss, sub: claims.sub, aud: claims.aud, scope: claims.scope, headers }
}

test('the token of the sign-in is exchanged once for many runs (RFC 8693)', async () => {
  const { home, server, idToken, run } = await startStage()
  const file = join(home, 'secret')
  await writeFile(file, 'canary\n')
  const argv = [
    ...['--exchange', 'token-exchange', '--exchange-issuer', server.issuer, '--exchange-audience', 'gateway'],
    ...['--exchange-client-id', 'app', '--exchange-secret-file', file, '--exchange-scope', 'chat'],
    ...['--client-ttl', '600', '--header', 'X-Who: {email} {claims.aud}'],
  ]
  const printed = await run(argv)
  const again = await run(argv)
  const { lookups, grants } = server
  const sent = { lookups: [...lookups], grants: grants.length }
  const other = await run([...argv, '--exchange-resource', 'https://api.example'])
  const { host } = new URL(server.tokenUrl)
  expect({ document: readDocument(printed), again, sent, isOriginal: printed.stdout.includes(idToken), other }).toEqual(
    {
      document: {
        iss: server.issuer,
        sub: 'alice',
        aud: ['gateway'],
        scope: 'chat',
        headers: { 'X-Who': 'alice@example.com gateway' },
      },
      again: printed,
      sent: { lookups: ['/.well-known/oauth-authorization-server/tenant'], grants: 1 },
      isOriginal: false,
      other: failure(
        5,
        `${host} did not exchange the ID token of the sign-in (HTTP 400 invalid_target): unknown target`,
        'correct exchange-audience and exchange-resource, or have the server know them',
      ),
    },
  )
})

test('the ID token is the assertion (RFC 7523), and a refusal by the server is reported', async () => {
  const { server, run } = await startStage()
  const argv = ['--exchange', 'jwt-bearer', '--exchange-url', server.tokenUrl, '--exchange-client-id', 'desk']
  const again = [...argv, '--client-ttl', '600', '--cache', 'none']
  const first = readDocument(await run(again))
  const { host } = new URL(server.tokenUrl)
  const used = await run(again)
  server.answer({ status: 307, headers: { location: server.tokenUrl }, body: '' })
  expect({ first, used, redirected: await run(again), grants: server.grants.length }).toEqual({
    first: { iss: server.issuer, sub: 'alice', aud: [] },
    used: failure(
      5,
      `${host} did not exchange the ID token of the sign-in (HTTP 400 invalid_grant): the assertion was used before`,
      `have ${host} accept tokens of this issuer and client; if the session was ended at the provider, sign out and in again`,
    ),
    redirected: failure(
      6,
      `${host} answered the token exchange with a redirect, which is not followed (HTTP 307)`,
      'set exchange-url to the address that it redirects to, if that is right',
    ),
    grants: 3,
  })
})

test('each ID token is exchanged once at the platform', async () => {
  const { home, provider, run } = await startStage()
  const { platform, seed, rule } = await startTrustingPlatform(home, provider, 'alice')
  const argv = [
    ...['--exchange', 'platform', '--base-url', platform.url, '--organization', seed.organization],
    ...['--federation-rule', rule, '--cache', 'none', '--header', 'X-Who: {email} {organization}'],
  ]
  const printed = await run(argv)
  expect(toStableValue({ ...printed, stdout: JSON.parse(printed.stdout) })).toEqual({
    status: 0,
    stderr: '',
    stdout: {
      token: 'sk-vendor-oat01-SECRET',
      headers: { 'X-Who': 'alice@example.com org_ID' },
    },
  })
  expect(await run(argv)).toEqual(
    failure(
      6,
      'the ID token of the sign-in was exchanged before, and may be valid for one exchange only',
      'sign in again, or keep the refresh token (refresh-token-store), so that each exchange gets a new token; if the platform accepts a token more than once, set identity-reuse to allowed',
    ),
  )
})

test('an explanation shows what would be exchanged without a request', async () => {
  const { server, run } = await startStage()
  expect(await run(['--exchange-url', server.tokenUrl])).toEqual(
    failure(
      2,
      'exchange-url is set, and exchange is not',
      'set exchange to token-exchange, jwt-bearer, id-jag, platform, or remove exchange-url',
    ),
  )
  const explained = await run(['--exchange', 'jwt-bearer', '--exchange-url', server.tokenUrl, '--explain'])
  expect(toStableValue(explained)).toEqual(
    prints(`\
context
  unknown (VENDOR_HELPER_CONTEXT is not set); nobody is asked
  ends by itself after N s
options
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  format = json (default)
  cache = disk (default)
  renew-early = 25 (default)
  explain = true (argument)
  client-id = desk (argument)
  authorization-url = https://id.example/authorize (argument)
  token-url = https://id.example/token (argument)
  bearer-token-type = id_token (default)
  append-offline-access = true (default)
  redirect-host = 127.0.0.1 (default)
  exchange = jwt-bearer (argument)
  exchange-url = http://127.0.0.1:PORT/token (argument)
  identity-reuse = never (default)
  sign-in = auto (default)
  refresh-token-store = none (default)
uses
  an ID token
  the sign-in to id.example for the client desk
  exchanged at 127.0.0.1:PORT (RFC 7523)
  kept in TEMPORARY/.local/state/gatepass/sign-ins/KEY.sealed
  where the browser comes back: register exactly http://127.0.0.1/callback in the registration of the client, for the client desk; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it
token
  from mint
  lives N s, until DATE
  subject: alice
  email: alice@example.com
  issuer: https://issuer.example
  bearer_token_type: id_token
headers
  none
cache
  TEMPORARY/.cache/gatepass/oidc-token-KEY.json
`),
  )
})

test('the other server gives a token for the ID-JAG that the provider of a person issues', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'exchange' }] })
  const other = await startExchangeServer({
    trusted: { issuer: '', keys },
    clients: { app: { secret: 'canary', authentication: 'post', grants: ['jwt-bearer'] } },
  })
  onTestFinished(() => other[Symbol.asyncDispose]())
  other.describe({ token_endpoint_auth_methods_supported: ['client_secret_post'] })
  const desk = await startPersonDesk({
    exchange: (form) => {
      const { issuer: own, clientId, urls } = desk.provider
      const rules = {
        issuer: own,
        trusted: { issuer: own, keys: createRemoteJWKSet(new URL(urls.keys)) },
        lifeSec: 300,
        clients: { [clientId]: { grants: ['token-exchange'] as const } },
        idJagClient: 'app',
        targets: [other.issuer],
        scopes: ['chat'],
        signingKey: privateKey,
      }
      return answerGrant(form, undefined, { rules, used: new Set() })
    },
  })
  other.trust(desk.provider.issuer)
  const argv = [
    ...[...desk.site, '--exchange', 'id-jag', '--exchange-issuer', other.issuer, '--exchange-scope', 'chat'],
    ...['--exchange-secret-variable', 'APP_SECRET', '--header', 'X-Who: {subject}'],
  ]
  const outcome = await desk.run({ argv, env: { APP_SECRET: 'canary' } })
  const { stderr } = await desk.toWords(outcome)
  expect({ stderr, ...readDocument({ ...outcome, stderr: '' }) }).toEqual({
    stderr: opens,
    iss: other.issuer,
    sub: 'alice',
    aud: [],
    scope: 'chat',
    headers: { 'X-Who': 'alice' },
  })
  expect([desk.provider.requests('token').length, other.grants.length]).toEqual([2, 1])
})

test('a server that refuses the ID token gets a renewed one', async () => {
  const desk = await startPersonDesk()
  const { provider } = desk
  const keys = createRemoteJWKSet(new URL(provider.urls.keys))
  const server = await startExchangeServer({ trusted: { issuer: provider.issuer, keys } })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const argv = [
    ...[...desk.site, '--refresh-token-store', 'file', '--cache', 'none'],
    ...['--exchange', 'jwt-bearer', '--exchange-url', server.tokenUrl],
  ]
  const { status } = await desk.run({ argv: ['sign-in', ...argv] })
  server.answer({ status: 400, body: { error: 'invalid_grant' } })
  const context = 'background'
  const renewed = readDocument(await desk.run({ argv, context }))
  const sent = new Set(server.grants.map(({ body }) => new URLSearchParams(body).get('assertion'))).size
  const renewals = provider.requests('token', 'refresh_token').length
  provider.revokeEverything()
  server.answer({ status: 400, body: { error: 'invalid_grant' } })
  const revoked = await desk.runInWords({ argv, context })
  expect({ status, renewed, sent, renewals, revoked, grants: server.grants.length }).toEqual({
    status: 0,
    renewed: { iss: server.issuer, sub: 'alice', aud: [] },
    sent: 2,
    renewals: 1,
    revoked: {
      status: 4,
      stdout: '',
      stderr: `oidc-token: warning: the sign-in to HOST has ended (invalid_grant); it says: grant request is invalid; going on with the stored tokens, which expire at DATE
oidc-token: the sign-in has ended at the provider, and its token is refused
oidc-token: hint: start a new session, which lets a person sign in, or run: oidc-token sign-in SITE --refresh-token-store file --cache none --exchange jwt-bearer --exchange-url http://127.0.0.1:PORT/token
`,
    },
    grants: 3,
  })
})

test('a token that was renewed early is still served where the provider has ended the sign-in', async () => {
  const desk = await startPersonDesk({ lifeSec: { idToken: 60 } })
  const { provider } = desk
  const keys = createRemoteJWKSet(new URL(provider.urls.keys))
  const server = await startExchangeServer({ trusted: { issuer: provider.issuer, keys } })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const argv = [
    ...[...desk.site, '--refresh-token-store', 'file', '--client-ttl', '300'],
    ...['--exchange', 'jwt-bearer', '--exchange-url', server.tokenUrl],
  ]
  await desk.run({ argv: ['sign-in', ...argv] })
  const run = () => desk.run({ argv, context: 'background' })
  const printed = await run()
  const now = Date.now()
  const due = { minted: now - 2_700_000, expiresAt: now + 900_000, earlyFraction: 0.99 }
  await editEntries(desk, (entry) => ({ ...entry, ...due }))
  provider.revokeEverything()
  const asked = provider.requests('token', 'refresh_token').length
  expect([await run(), await run()]).toEqual([printed, printed])
  expect(provider.requests('token', 'refresh_token').length).toBe(asked + 1)
})

test('gatepass doctor compares the ID token with what the platform wants, after an exchange that failed', async () => {
  const { home, provider, idToken } = await startStage()
  const { platform, seed, rule, db } = await startTrustingPlatform(home, provider, 'bob')
  const args = [
    ...[...site, '--exchange', 'platform', '--base-url', platform.url, '--organization', seed.organization],
    ...['--federation-rule', rule],
  ]
  const credential = { kind: 'helper-script', command: toBundlePath(program), args }
  const document = { $schemaVersion: 2, inference: { provider: 'gateway', baseUrl: platform.url, credential } }
  await writeFile(join(home, 'document.json'), JSON.stringify(document))
  const { status, stdout } = await runBundle('gatepass', {
    argv: ['doctor', join(home, 'document.json'), '--yes', '--db', db],
    env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  })
  const [, part = ''] = /\nbad {3}The token exchange, [^\n]*\n(.*?)\n\n/s.exec(toStableText(stdout)) ?? []
  const lines = part.split('\n').map((line) => line.trim().replace(/(?<=, in )\d+ min$/, 'N min'))
  expect({ status, lines, holdsToken: stdout.includes(idToken) }).toEqual({
    status: 1,
    lines: [
      '✗ sub: its value is "alice", and the rule asks for "bob"',
      '✓ form: a JWT of 375 bytes, signed with "ES256"',
      "✓ clock: this machine's agrees with the platform's",
      '✓ exp: it ends at DATE, in N min',
      '✓ nbf: it begins at DATE, N s ago',
      '✓ iat: it was issued at DATE, N s ago',
      '✓ jti: the token has not been exchanged before',
      '✓ aud: the token is for "desk", and the rule asks for "desk"',
      '✓ iss: the token is from "https://issuer.example", and the rule is for "https://issuer.example"',
      '✓ organization: org_ID',
      '✓ federation rule: fdrl_ID exists',
      '✓ service account: svac_ID',
      '✓ workspace: wrkspc_ID',
      "✓ signature: the signature was made with the issuer's key",
      '→ make a rule that accepts sub "alice", or use an identity that this rule accepts',
    ],
    holdsToken: false,
  })
})
