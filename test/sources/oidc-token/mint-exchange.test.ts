import { createLocalJWKSet } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import type { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import type { ExchangeSettings } from '../../../src/sources/oauth/exchange/exchange-settings.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/oidc-settings.ts'
import { createMemoryStore } from '../../../src/sources/oauth/store/memory-store.ts'
import type { StoredSignIn } from '../../../src/sources/oauth/store/sign-in-store.ts'
import { mintByExchange } from '../../../src/sources/oidc-token/mint-exchange.ts'
import { startExchangeServer } from '../../stand-ins/identity/exchange-server.ts'
import { createIdentityProvider, issuer } from '../../stand-ins/identity/identity-provider.ts'
import { startParts } from '../oauth/made-up-parts.ts'

const nowSec = Math.floor(Date.now() / 1000)

/** Prepares a person's sign-in that nothing renews, and a server that answers exchanges of its token as scripted. */
async function startDesk(asked?: string) {
  const provider = await createIdentityProvider()
  const server = await startExchangeServer({ trusted: { issuer, keys: createLocalJWKSet(provider.jwks) } })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const now = nowSec * 1000
  const clock = { now: () => now, startedAt: now, elapsedMs: () => 0 }
  const { host, call } = await startParts({ clock })
  const store = createMemoryStore()
  const idToken = new Secret(await provider.sign({ sub: 'alice', email: 'alice@example.com', aud: 'desk' }))
  const signIn: StoredSignIn = { id: '1', since: now, tokens: { idToken } }
  await store.change(call.deadline, { make: async () => signIn })
  const settings: OidcSettings = {
    clientId: 'desk',
    issuer,
    appendOfflineAccess: false,
    additionalRedirectReferrerHosts: [],
    bearerTokenType: 'id_token',
    redirectHost: '127.0.0.1',
  }
  const endpoint = { url: server.tokenUrl, setting: 'exchange-url' }
  const own: ExchangeSettings = {
    form: 'jwt-bearer',
    subject: 'id_token',
    endpoint,
    client: { id: undefined },
    resources: [],
    scope: asked,
    parameters: [],
  }
  const plan = { settings: own, steps: [] }
  const warnings: string[] = []
  const mint = async (wanted: readonly string[]) => {
    const usedAssertions = { use: () => Promise.reject(new Error('not for this form')) }
    const ownCall = {
      ...call,
      usedAssertions,
      removeToken: async () => {},
      wantedFacts: new Set(wanted),
      warn: (text: string) => warnings.push(text),
    }
    const source = {
      settings,
      store,
      isEnough: () => true,
      toFacts: (_: StoredSignIn, names?: ReadonlySet<string>) => ({
        ...person,
        ...(names?.has('claims.sub') && { 'claims.sub': 'alice' }),
      }),
    }
    try {
      const { token, expiresAt, facts } = await mintByExchange(source, plan, { host, call: ownCall })
      return { token: token.reveal(), lifeSec: expiresAt && (expiresAt.getTime() - now) / 1000, facts }
    } catch (error) {
      const { kind, message, hint } = error as HelperError
      return { kind, message, hint }
    }
  }
  return { server, mint, warnings }
}

function toJwt(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
}

const person = { subject: 'alice', email: 'alice@example.com', issuer, bearer_token_type: 'id_token' }

test('headers get the claims of the issued token where it is a JWT, and those of the person where it is not', async () => {
  const { server, mint } = await startDesk()
  const jwt = toJwt({ sub: 'user-7', exp: nowSec + 90_000 })
  const bearer = { token_type: 'Bearer', expires_in: 600 }
  server.answer({ body: { ...bearer, access_token: jwt } }, { body: { ...bearer, access_token: 'opaque' } })
  const facts = { ...person, 'claims.sub': 'user-7' }
  expect(await mint(['claims.sub'])).toEqual({ token: jwt, lifeSec: 600, facts })
  expect(await mint(['claims.sub'])).toEqual({
    token: 'opaque',
    lifeSec: 600,
    facts: { ...person, 'claims.sub': 'alice' },
  })
})

test.each<
  [name: string, life: number | undefined, aheadSec: number, claims: object | undefined, end: number | undefined]
>([
  ['what the answer states', 600, 0, {}, 600],
  ['what the token says, where the answer states nothing', undefined, 0, { exp: nowSec + 300 }, 300],
  ['the earlier of both', 600, 0, { exp: nowSec + 300 }, 300],
  ['the earlier of both, turned round', 200, 0, { exp: nowSec + 300 }, 200],
  // The server's clock is known to a second, of which the end is taken.
  ["the token's own end by this machine's clock", 600, 120, { exp: nowSec + 300 }, 179.001],
  ['nothing where neither says it', undefined, 0, { sub: 'alice' }, undefined],
  ['nothing for an opaque token', undefined, 0, undefined, undefined],
  ['nothing where the token says nonsense', undefined, 0, { exp: 1e300 }, undefined],
])('an issued token ends by %s', async (_, life, aheadSec, claims, end) => {
  const { server, mint } = await startDesk()
  const body = { access_token: claims ? toJwt(claims) : 'opaque', token_type: 'Bearer', expires_in: life }
  server.answer({ body, headers: { date: new Date((nowSec + aheadSec) * 1000).toUTCString() } })
  expect(await mint([])).toHaveProperty('lifeSec', end)
})

test('a claim that the issued token does not have is not taken from another one', async () => {
  const { server, mint } = await startDesk()
  server.answer({ body: { access_token: 'e30.eyJzdWIiOiJ1In0.c2ln', token_type: 'Bearer' } })
  expect(await mint(['claims.email'])).toEqual({
    kind: 'not-configured',
    message: 'a header asks for {claims.email}, which the token that was issued does not have; it has sub',
    hint: 'name a claim that it has, or have the identity provider add it',
  })
})

test('a server that grants less than was asked for causes a warning', async () => {
  const { server, mint, warnings } = await startDesk('chat models')
  const bearer = { access_token: 'opaque', token_type: 'Bearer' }
  server.answer({ body: { ...bearer, scope: 'models extra' } }, { body: bearer })
  const granted = { token: 'opaque', lifeSec: undefined, facts: person }
  expect([await mint([]), await mint([])]).toEqual([granted, granted])
  expect(warnings).toEqual(['the server granted less than exchange-scope asks for: without chat'])
})
