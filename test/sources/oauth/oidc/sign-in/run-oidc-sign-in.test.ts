import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { toStableText } from '../../../../setup/to-stable-text.ts'
import { createPerson } from '../../../../stand-ins/provider/person/create-person.ts'
import { plainSettings, requireSignedIn, signIn } from '../oidc-bench.ts'
import { as, startTestProvider as start } from '../people.ts'

test('a person signs in with a browser that comes back, and the code is redeemed once', async () => {
  const provider = await start()
  const end = requireSignedIn(await signIn(plainSettings(provider.issuer), as({ isForgetful: true })))
  const asked = Object.fromEntries(new URL(end.prompt.address).searchParams)
  const redirect = toStableText(asked.redirect_uri!)
  expect({
    seen: end.seen,
    subject: end.signIn.subject,
    asked,
    redirect,
    redeemed: provider.requests('token'),
  }).toEqual({
    seen: 'You are signed in',
    subject: 'alice',
    asked: {
      client_id: 'gatepass',
      response_type: 'code',
      scope: 'openid offline_access',
      redirect_uri: expect.any(String),
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.any(String),
      code_challenge_method: 'S256',
    },
    redirect: 'http://127.0.0.1:PORT/callback',
    redeemed: [
      {
        parameters: {
          grant_type: 'authorization_code',
          redirect_uri: asked.redirect_uri,
          code: expect.any(String),
          code_verifier: expect.any(String),
          client_id: 'gatepass',
        },
        status: 200,
        endpoint: 'token',
      },
    ],
  })
})

test('the ID token is for the nonce that was sent, and its end is that of the sign-in', async () => {
  const provider = await start()
  const { prompt, signIn: kept } = requireSignedIn(await signIn(plainSettings(provider.issuer), as()))
  const { idToken, refreshToken, expiresAt } = kept.tokens
  expect({ id: kept.id, claims: decodeJwt(idToken?.reveal() ?? ''), refreshToken: refreshToken?.reveal() }).toEqual({
    id: expect.any(String),
    claims: {
      iss: provider.issuer,
      sub: 'alice',
      nonce: new URL(prompt.address).searchParams.get('nonce'),
      aud: 'gatepass',
      exp: (expiresAt?.getTime() ?? 0) / 1000,
      iat: expect.any(Number),
    },
    refreshToken: expect.any(String),
  })
})

test('without discovery the addresses are enough, and no key is asked for', async () => {
  const { issuer, urls, requests } = await start()
  const addresses = { issuer: undefined, authorizationUrl: urls.authorization, tokenUrl: urls.token }
  const end = requireSignedIn(await signIn({ ...plainSettings(), ...addresses }, as()))
  const { iss } = decodeJwt(end.signIn.tokens.idToken?.reveal() ?? '')
  expect([end.signIn.subject, iss, requests('keys'), requests('discovery')]).toEqual(['alice', issuer, [], []])
})

test('an access token for a resource is asked for in both requests, and has the stated life', async () => {
  const resource = 'https://gateway.example'
  const provider = await start({ resources: { [resource]: 'turns' } })
  const access = { bearerTokenType: 'access_token', scopes: 'turns', resource } as const
  const before = Date.now()
  const end = requireSignedIn(await signIn({ ...plainSettings(provider.issuer), ...access }, as()))
  const { accessToken, idToken, expiresAt } = end.signIn.tokens
  const asked = new URL(end.prompt.address).searchParams
  expect({
    claims: decodeJwt(accessToken?.reveal() ?? ''),
    idToken,
    subject: end.signIn.subject,
    lifeSec: Math.round(((expiresAt?.getTime() ?? 0) - before) / 10_000) * 10,
    scope: asked.get('scope'),
    resource: asked.get('resource'),
    redeemed: provider.requests('token'),
  }).toEqual({
    claims: {
      aud: resource,
      scope: 'turns',
      jti: expect.any(String),
      sub: 'alice',
      iat: expect.any(Number),
      exp: expect.any(Number),
      client_id: 'gatepass',
      iss: provider.url,
    },
    idToken: undefined,
    subject: undefined,
    lifeSec: 600,
    scope: 'turns offline_access',
    resource,
    redeemed: [
      {
        parameters: {
          resource,
          grant_type: 'authorization_code',
          code: expect.any(String),
          code_verifier: expect.any(String),
          redirect_uri: expect.any(String),
          client_id: 'gatepass',
        },
        endpoint: 'token',
        status: 200,
      },
    ],
  })
})

test('a provider that requires it gets the request pushed, and the address holds no part of it', async () => {
  const provider = await start({ pushedRequests: 'required' })
  const end = requireSignedIn(await signIn(plainSettings(provider.issuer), as()))
  expect({
    seen: end.seen,
    hasEnd: Number(end.prompt.expiresAt) > Date.now(),
    ...Object.fromEntries(new URL(end.prompt.address).searchParams),
  }).toEqual({ seen: 'You are signed in', hasEnd: true, client_id: 'gatepass', request_uri: expect.any(String) })
})

test('a request is not pushed where that is only offered, because its address would soon lead nowhere', async () => {
  const provider = await start({ pushedRequests: 'offered' })
  requireSignedIn(await signIn(plainSettings(provider.issuer), as()))
  expect(provider.requests('pushed request')).toEqual([])
})

test('a provider that posts its answer as a form is understood', async () => {
  const provider = await start()
  const free = requireSignedIn(await signIn(plainSettings(provider.issuer), as()))
  const redirectPort = Number(new URL(new URL(free.prompt.address).searchParams.get('redirect_uri') ?? '').port)
  const settings = { ...plainSettings(provider.issuer), redirectPort, responseMode: 'form_post' } as const
  const attempt = async () => {
    const end = requireSignedIn(await signIn(settings, as()))
    const asked = new URL(end.prompt.address).searchParams
    return [asked.get('response_mode'), asked.get('redirect_uri'), end.seen]
  }
  const expected = ['form_post', `http://127.0.0.1:${redirectPort}/callback`, 'You are signed in']
  expect([await attempt(), await attempt()]).toEqual([expected, expected])
})

test('a person who denies it is told so in the tab, and nothing is stored', async () => {
  const provider = await start()
  const { host } = new URL(provider.issuer)
  expect(await signIn(plainSettings(provider.issuer), as({ denies: true }))).toEqual({
    failure: ['refused', `the sign-in to ${host} was denied in the browser`, 'start again, and allow it there'],
    stored: undefined,
  })
})

test('a refused code is explained where the provider gives no reason', async () => {
  const provider = await start({ deviceGrant: false })
  const { host } = new URL(provider.issuer)
  const settings = plainSettings(provider.issuer)
  const tools = { canOpenBrowser: false } as const
  const failures = [await signIn(settings, as(), tools), await signIn(settings, as(), { ...tools, way: 'device' })]
  expect(failures.map((end) => 'failure' in end && end.failure)).toEqual([
    [
      'sign-in-required',
      `no browser can be opened here, and ${host} offers no sign-in with a code`,
      'sign in where a browser can open, or name a program that opens one in the variable BROWSER',
    ],
    [
      'not-configured',
      `${host} offers no sign-in with a code, which --sign-in device asks for`,
      'set sign-in to auto or browser, and sign in where a browser can open',
    ],
  ])
})

test('a refusal that names another issuer is not a refusal of the provider', async () => {
  const provider = await start()
  const { host } = new URL(provider.issuer)
  const end = await signIn(plainSettings(provider.issuer), async ({ address }) => {
    const { redirect_uri: uri, state = '' } = Object.fromEntries(new URL(address).searchParams)
    const answer = new URLSearchParams({ error: 'access_denied', state, iss: 'https://else.example' })
    return createPerson().look(`${uri}?${answer}`)
  })
  expect(end).toEqual({
    failure: [
      'refused',
      `the browser did not come back from ${host} but from another provider (iss)`,
      'start again; if that happens once more, report this to whoever runs the provider',
    ],
  })
})
