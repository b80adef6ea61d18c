import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Secret } from '../../../../../src/runtime/secret.ts'
import type { OidcSettings } from '../../../../../src/sources/oauth/oidc/oidc-settings.ts'
import { openProvider } from '../../../../../src/sources/oauth/oidc/protocol/open-provider.ts'
import type { IssuedTokens } from '../../../../../src/sources/oauth/oidc/provider.ts'
import { InvalidGrantError } from '../../../../../src/sources/oauth/oidc/renewal-errors.ts'
import { temporaryDirectory } from '../../../../setup/temporary-directory.ts'
import { toStableText } from '../../../../setup/to-stable-text.ts'
import type { Lies } from '../../../../stand-ins/lying-provider/lies.ts'
import { failureOf, type LiarBench, startLiarBench } from '../liar-bench.ts'

/** Somebody who has signed in with an honest provider, which lies from then on. */
async function startSignedIn(lies: Lies = {}, more: Partial<OidcSettings> = {}) {
  const bench = await startLiarBench({}, more)
  const { tokens } = await bench.signIn()
  bench.provider.lie(lies)
  const kept: string[] = []
  return { ...bench, tokens, kept, refresh: () => refreshAt(bench, tokens, kept) }
}

/** @param kept Is given what had to be kept before the answer was validated. */
async function refreshAt(
  { settings, parts }: LiarBench,
  tokens: IssuedTokens,
  kept: string[] = [],
): Promise<IssuedTokens> {
  const provider = await openProvider(settings, parts)
  return provider.refresh(tokens.refreshToken ?? new Secret(''), tokens, async (successor) => {
    kept.push(successor.reveal())
  })
}

const revealed = ({ idToken, accessToken, refreshToken }: IssuedTokens) =>
  [idToken, accessToken, refreshToken].map((token) => token?.reveal())

test('a renewal gives new tokens, with a new refresh token where the provider rotates them', async () => {
  const { tokens, refresh, provider } = await startSignedIn({}, { resource: 'https://gateway.example' })
  const renewed = await refresh()
  expect(revealed(renewed).filter((token) => revealed(tokens).includes(token))).toEqual([])
  expect(provider.requests.at(-1)?.parameters).toEqual({
    resource: 'https://gateway.example',
    refresh_token: expect.any(String),
    grant_type: 'refresh_token',
    client_id: 'desktop',
  })
})

test('a token that an answer leaves out stays as it was', async () => {
  const access = { bearerTokenType: 'access_token', scopes: 'openid turns' } as const
  const lies = { members: { refresh: { refresh_token: undefined } }, renewedIdToken: 'none' } as const
  const { tokens, refresh } = await startSignedIn(lies, access)
  const renewed = await refresh()
  expect([renewed.refreshToken, renewed.idToken]).toEqual([tokens.refreshToken, tokens.idToken])
  expect(renewed.accessToken?.reveal()).not.toBe(tokens.accessToken?.reveal())
})

const otherPerson = 'HOST renewed the sign-in with an ID token that is not for the same person and client'

const again = 'sign in again; if that happens once more, report this to whoever runs the provider'

test.each<[lies: Lies, kind: string, message: string, hint: string]>([
  [
    { renewedIdToken: 'none' },
    'sign-in-required',
    'HOST renewed the sign-in without a new ID token, which the gateway needs',
    'sign in again; to be asked less often, have the provider issue ID tokens on refresh, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
  ],
  [{ renewedIdToken: { claims: { sub: 'person-2' } } }, 'refused', `${otherPerson} (sub)`, again],
  [{ renewedIdToken: { claims: { aud: ['desktop', 'x'], azp: 'desktop' } } }, 'refused', `${otherPerson} (aud)`, again],
  [{ renewedIdToken: { claims: { nonce: 'x' } } }, 'refused', `${otherPerson} (nonce)`, again],
  [
    { renewedIdToken: { signer: 'unpublished' } },
    'refused',
    'the ID token of HOST is signed with a key that is not, or not clearly, among its published keys',
    'report this to whoever runs HOST',
  ],
  [
    { answers: { refresh: { status: 503, body: '' } } },
    'unavailable',
    'HOST is busy or broken (HTTP 503)',
    'try again in a moment',
  ],
])('a renewal that cannot be used is refused in words, %j', async (lies, kind, message, hint) => {
  const { host, refresh } = await startSignedIn(lies)
  const toText = (text: string) => text.replaceAll('HOST', host)
  expect(await failureOf(refresh())).toEqual([kind, toText(message), toText(hint)])
})

test('a refresh token that the provider repeats in its refusal is not in the message', async () => {
  const { host, provider, tokens, refresh } = await startSignedIn()
  const token = tokens.refreshToken?.reveal() ?? ''
  const body = {
    error: 'invalid_grant',
    error_description: `token ${token} is unknown`,
    error_uri: `https://a.example/?${token}`,
  }
  provider.lie({ answers: { refresh: { status: 400, body } } })
  expect(await failureOf(refresh())).toEqual([
    'sign-in-required',
    `the sign-in to ${host} has ended (invalid_grant); it says: token [secret] is unknown`,
    'start a new session, so that a person can sign in',
  ])
  provider.lie({ answers: { refresh: { status: 400, body: { ...body, error: 'quota' } } } })
  expect(await failureOf(refresh())).toEqual([
    'unavailable',
    `the sign-in to ${host} cannot be renewed (quota); it says: token [secret] is unknown`,
    'look up what it means: https://a.example/?[secret]',
  ])
})

test('without discovery the issuer stays that of the ID token before', async () => {
  const { host, provider, settings, parts, tokens } = await startSignedIn()
  provider.lie({ renewedIdToken: { claims: { iss: 'https://else.example' } } })
  const { issuer } = provider
  const addresses = { issuer: undefined, authorizationUrl: `${issuer}/authorize`, tokenUrl: `${issuer}/token` }
  const bare = await openProvider({ ...settings, ...addresses }, parts)
  expect(await failureOf(bare.refresh(tokens.refreshToken ?? new Secret(''), tokens, async () => {}))).toEqual([
    'refused',
    `the ID token of ${host} names the issuer "https://else.example", not "${issuer}"`,
    'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
  ])
})

test('a refresh token that is not taken is told apart', async () => {
  const { refresh } = await startSignedIn()
  await refresh()
  await expect(refresh()).rejects.toBeInstanceOf(InvalidGrantError)
})

test('a refresh token whose answer was lost is not sent again', async () => {
  const { refresh, provider, host } = await startSignedIn({ answers: { refresh: ['reset', 'honest'] } })
  const failure = await failureOf(refresh())
  expect([failure, provider.requests.filter(({ endpoint }) => endpoint === 'refresh').length]).toEqual([
    ['unavailable', `${host} cannot be reached (ECONNRESET)`, `check what runs at ${host}`],
    1,
  ])
})

test('the successor is kept before the answer is validated', async () => {
  const faulty = await startSignedIn({ renewedIdToken: { claims: { exp: 1_700_000_000 } } })
  expect(await failureOf(faulty.refresh())).toEqual([
    'refused',
    `the ID token of ${faulty.host} is not valid at this time by the provider's own clock (exp)`,
    expect.any(String),
  ])
  const old = faulty.tokens.refreshToken?.reveal()
  expect(faulty.kept.map((token) => token !== '' && token !== old)).toEqual([true])
})

test.each([{ sub: 'person-2' }, { aud: 'another' }, { iss: 'https://evil.example' }])(
  'nothing is kept of an answer that names another: %j',
  async (claims) => {
    // By its own words alone: it is signed by nobody.
    const other = await startSignedIn({ renewedIdToken: { claims, signer: 'nobody' } })
    expect([await failureOf(other.refresh()), other.kept]).toEqual([
      [
        'refused',
        `the ID token of ${other.host} is signed with "none", which is not accepted here`,
        `report this to whoever runs ${other.host}`,
      ],
      [],
    ])
  },
)

test('no refresh token is sent while the keys are out of reach, because the next one would be lost', async () => {
  const { host, refresh } = await startSignedIn({ answers: { keys: { status: 503, body: '' } } })
  expect(await failureOf(refresh())).toEqual([
    'unavailable',
    `the list of keys of ${host} is busy or broken (HTTP 503)`,
    'try again in a moment',
  ])
})

test('a refresh token that was not sent because of the keys is good for the next renewal', async () => {
  const { provider, refresh } = await startSignedIn({ answers: { keys: { status: 503, body: '' } } })
  await failureOf(refresh())
  provider.lie({})
  const { refreshToken } = await refresh()
  expect(toStableText(refreshToken?.reveal() ?? '')).toBe('UUID')
})

test('a token is revoked once more where the answer was lost', async () => {
  const { provider, settings, parts } = await startSignedIn({ answers: { revoke: ['reset', 'honest'] } })
  const revoked = await (await openProvider(settings, parts)).revoke(new Secret('canary'), 'refresh_token')
  const parameters = { client_id: 'desktop', token: 'canary', token_type_hint: 'refresh_token' }
  expect([revoked, ...provider.requests.slice(-2)]).toEqual([
    'revoked',
    { endpoint: 'revoke', parameters },
    { endpoint: 'revoke', parameters },
  ])
})

test('no token is revoked where the provider does not offer it', async () => {
  const { provider, settings, parts } = await startSignedIn()
  provider.lie({ members: { discovery: { revocation_endpoint: undefined } } })
  expect(await (await openProvider(settings, parts)).revoke(new Secret('canary'), 'refresh_token')).toBe('not offered')
})

test.each(['basic', 'post'] as const)(
  'a secret that the provider repeats is not shown, sent by %s',
  async (clientAuth) => {
    const clientSecretFile = join(await temporaryDirectory(), 'client.secret')
    await writeFile(clientSecretFile, 'canary\n')
    const { tokens, ...bench } = await startSignedIn({
      answers: { refresh: { status: 400, body: { error: 'quota', error_description: 'for canary' } } },
    })
    const settings = { ...bench.settings, clientSecretFile, clientAuth }
    expect(await failureOf(refreshAt({ ...bench, settings }, tokens))).toEqual([
      'unavailable',
      `the sign-in to ${bench.host} cannot be renewed (quota); it says: for [secret]`,
      expect.any(String),
    ])
  },
)
