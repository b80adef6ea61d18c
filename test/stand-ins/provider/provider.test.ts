import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { decodeJwt } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { createPerson, type PersonSettings } from './person/create-person.ts'
import type { ProviderSettings, RedirectRule } from './settings.ts'
import { type StandInProvider, startProvider } from './start-provider.ts'

/** Where the browser comes back to: a server that keeps what it was sent. */
async function startCallback() {
  const came: string[] = []
  const server = createServer((request, response) => {
    came.push(request.url ?? '')
    response.end('<title>back</title>')
  })
  const redirectUri = `http://127.0.0.1:${await listenDuringTest(server)}/any/path`
  return { redirectUri, last: () => new URL(came.at(-1) ?? '', redirectUri).searchParams }
}

async function start(settings: ProviderSettings = {}) {
  const provider = await startProvider(settings)
  onTestFinished(() => provider[Symbol.asyncDispose]())
  return { provider, callback: await startCallback() }
}

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

function toRequest({ clientId }: StandInProvider, redirectUri: string, more: Record<string, string> = {}) {
  const scope = 'openid offline_access email'
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const base = { client_id: clientId, response_type: 'code', redirect_uri: redirectUri, scope, state: 's', nonce: 'n' }
  return new URLSearchParams({ ...base, ...pkce, ...more })
}

async function ask(provider: StandInProvider, body: Record<string, string>) {
  const response = await fetch(provider.urls.token, {
    method: 'POST',
    body: new URLSearchParams({ client_id: provider.clientId, ...body }),
  })
  const answer = (await response.json()) as Record<string, string> // the members that a test looks at are texts
  return { status: response.status, answer }
}

/** Signs in, and swaps the code for tokens. */
async function signIn(settings: ProviderSettings = {}, person: PersonSettings = {}, more = {}) {
  const { provider, callback } = await start(settings)
  const request = toRequest(provider, callback.redirectUri, more)
  await createPerson(person).open(`${provider.urls.authorization}?${request}`)
  const code = callback.last().get('code') ?? ''
  const swap = { grant_type: 'authorization_code', code, redirect_uri: callback.redirectUri, code_verifier: verifier }
  return { provider, callback, ...(await ask(provider, { ...swap, ...more })) }
}

const signedIn = {
  status: 200,
  answer: {
    token_type: 'Bearer',
    expires_in: 600,
    access_token: expect.any(String),
    id_token: expect.any(String),
    refresh_token: expect.any(String),
    scope: 'openid email offline_access',
  },
}
const refused = {
  status: 400,
  answer: { error: 'invalid_grant', error_description: 'grant request is invalid' },
}

test('a person who enters the right password after a wrong one is asked, and allows it', async () => {
  const { provider, callback, ...outcome } = await signIn({}, { isForgetful: true })
  expect({
    came: Object.fromEntries(callback.last()),
    outcome,
    requests: provider.requests('token', 'authorization_code'),
  }).toEqual({
    came: { state: 's', iss: provider.issuer, code: expect.any(String) },
    outcome: signedIn,
    requests: [
      {
        status: 200,
        endpoint: 'token',
        parameters: {
          grant_type: 'authorization_code',
          code: expect.any(String),
          code_verifier: verifier,
          redirect_uri: callback.redirectUri,
          client_id: 'gatepass',
        },
      },
    ],
  })
})

test('the ID token names the person', async () => {
  const { provider, answer } = await signIn()
  expect(decodeJwt(answer.id_token ?? '')).toEqual({
    exp: expect.any(Number),
    iat: expect.any(Number),
    iss: provider.issuer,
    aud: 'gatepass',
    sub: 'alice',
    nonce: 'n',
    email: 'alice@example.com',
  })
})

test('a denial sends back an error', async () => {
  const { callback } = await signIn({}, { denies: true })
  expect(Object.fromEntries(callback.last())).toEqual({
    error: 'access_denied',
    state: 's',
    error_description: 'the person denied it',
    iss: expect.any(String),
  })
})

test('refresh tokens rotate, and one that is used twice revokes the family', async () => {
  const { provider, answer: first } = await signIn()
  const refresh = (token = '') => ask(provider, { grant_type: 'refresh_token', refresh_token: token })
  const { status, answer: second } = await refresh(first.refresh_token)
  const isNew = second.refresh_token !== first.refresh_token
  const again = [await refresh(first.refresh_token), await refresh(second.refresh_token)]
  expect({ status, isNew, again }).toEqual({ status: 200, isNew: true, again: [refused, refused] })
})

const resource = 'https://gateway.example'

test('an access token for a resource is a JWT for it', async () => {
  const { answer } = await signIn({ resources: { [resource]: 'turns' } }, {}, { resource, scope: 'openid turns' })
  expect(decodeJwt(answer.access_token ?? '')).toEqual({
    aud: resource,
    scope: 'turns',
    sub: 'alice',
    jti: expect.any(String),
    iat: expect.any(Number),
    exp: expect.any(Number),
    client_id: 'gatepass',
    iss: expect.any(String),
  })
})

test('an unknown resource is refused', async () => {
  const { callback } = await signIn({}, {}, { resource })
  expect(callback.last().get('error')).toBe('invalid_target')
})

const asked = [200, 'Example Corp: sign in']
const unfit = [400, 'The provider cannot go on']
test.each<[rule: RedirectRule, uri: string, answer: (number | string)[]]>([
  ['exact', 'http://127.0.0.1:4000/oauth/callback', unfit],
  ['exact', 'http://127.0.0.1/oauth/callback', asked],
  ['any port', 'http://localhost:4000/oauth/callback', asked],
  ['any port', 'http://127.0.0.1:4000/other', unfit],
  ['any port of 127.0.0.1', 'http://localhost:4000/oauth/callback', unfit],
  ['any port and path', 'http://127.0.0.1:4000/other', asked],
  ['any port and path', 'http://[::1]:4000/oauth/callback', unfit],
])('with the rule "%s", the answer to %s is %o', async (redirectRule, uri, answer) => {
  const { provider } = await start({ redirectRule })
  const page = await createPerson().look(`${provider.urls.authorization}?${toRequest(provider, uri)}`)
  expect([page.status, page.title]).toEqual(answer)
})

test('the provider can require a pushed authorization request', async () => {
  const { provider, callback } = await start({ pushedRequests: 'required' })
  const request = toRequest(provider, callback.redirectUri)
  const { title } = await createPerson().open(`${provider.urls.authorization}?${request}`)
  expect([title, callback.last().get('error')]).toEqual(['back', 'invalid_request'])
})

test('the provider takes a pushed authorization request', async () => {
  const { provider, callback } = await start({ pushedRequests: 'required' })
  const request = toRequest(provider, callback.redirectUri)
  const pushed = await fetch(provider.urls['pushed request'], { method: 'POST', body: request })
  const { request_uri: uri = '' } = (await pushed.json()) as Record<string, string>
  const address = new URL(provider.urls.authorization)
  address.search = new URLSearchParams({ client_id: provider.clientId, request_uri: uri }).toString()
  await createPerson().open(address.href)
  const code = callback.last().get('code') ?? ''
  const swap = { grant_type: 'authorization_code', code, redirect_uri: callback.redirectUri, code_verifier: verifier }
  expect(await ask(provider, swap)).toEqual(signedIn)
})

test('a device signs in with a code that the person enters', async () => {
  const { provider } = await start()
  const body = new URLSearchParams({ client_id: provider.clientId, scope: 'openid offline_access' })
  const response = await fetch(provider.urls['device authorization'], { method: 'POST', body })
  const {
    device_code = '',
    user_code: userCode = '',
    verification_uri = '',
  } = (await response.json()) as Record<string, string>
  const poll = () => ask(provider, { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })
  const before = await poll()
  const { title } = await createPerson({ userCode }).open(verification_uri)
  expect({ before, title, after: await poll() }).toEqual({
    before: {
      status: 400,
      answer: {
        error: 'authorization_pending',
        error_description:
          "authorization request is still pending as the end-user hasn't yet completed the user interaction steps",
      },
    },
    title: 'The device is signed in',
    after: { ...signedIn, answer: { ...signedIn.answer, scope: 'openid offline_access' } },
  })
})

test('form_post brings the answer in a form', async () => {
  const { provider, callback } = await start()
  const request = toRequest(provider, callback.redirectUri, { response_mode: 'form_post' })
  const { title } = await createPerson().open(`${provider.urls.authorization}?${request}`)
  expect({ title, query: Object.fromEntries(callback.last()) }).toEqual({ title: 'back', query: {} })
})

describe('a refresh token', () => {
  async function startRefreshing() {
    const { provider, answer } = await signIn({ rotatesRefreshTokens: false })
    const refreshed = {
      status: 200,
      answer: {
        access_token: expect.any(String),
        expires_in: 600,
        id_token: expect.any(String),
        refresh_token: answer.refresh_token,
        scope: 'openid email offline_access',
        token_type: 'Bearer',
      },
    }
    const refresh = () => ask(provider, { grant_type: 'refresh_token', refresh_token: answer.refresh_token ?? '' })
    return { provider, refreshed, refresh }
  }

  test('fails as often as is asked for, and is good after it', async () => {
    const { provider, refreshed, refresh } = await startRefreshing()
    provider.fail('token', { status: 503, body: { error: 'temporarily_unavailable' } }, 'reset', 'lost')
    const outcomes = []
    for (let count = 0; count < 4; count += 1) outcomes.push(await refresh().catch(({ message }) => message))
    expect(outcomes).toEqual([
      { status: 503, answer: { error: 'temporarily_unavailable' } },
      'fetch failed',
      'fetch failed',
      refreshed,
    ])
  })

  test('is good while the provider is up, until everything is revoked', async () => {
    const { provider, refreshed, refresh } = await startRefreshing()
    await provider.goDown()
    const down = await refresh().catch(({ message }) => message)
    await provider.comeBack()
    const up = await refresh()
    provider.revokeEverything()
    expect({ down, up, revoked: await refresh() }).toEqual({ down: 'fetch failed', up: refreshed, revoked: refused })
  })
})
