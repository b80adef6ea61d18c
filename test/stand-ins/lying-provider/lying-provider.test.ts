import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { type LyingProvider, startLyingProvider } from './lying-provider.ts'

const redirectUri = 'http://127.0.0.1:9/callback'

test('another client finds nothing wrong with the provider as long as it tells no lie', async () => {
  await using provider = await startLyingProvider()
  const tokens = await signIn(provider)
  expect(tokens.claims()).toEqual({
    iss: provider.issuer,
    aud: 'desktop',
    sub: 'person-1',
    iat: expect.any(Number),
    exp: expect.any(Number),
    nonce: expect.any(String),
    at_hash: expect.any(String),
  })
})

test('the lying provider takes a refresh token once', async () => {
  await using provider = await startLyingProvider()
  const { refresh_token = '' } = await signIn(provider)
  const refresh = async () => client.refreshTokenGrant(await discover(provider), refresh_token)
  expect([(await refresh()).claims()?.sub, await refresh().catch(toRefusal)]).toEqual([
    'person-1',
    { status: 400, error: 'invalid_grant' },
  ])
})

test('the lying provider gives a code for one client, one redirect URI and one verifier', async () => {
  await using provider = await startLyingProvider()
  const another = 'another verifier, which is as long as one has to be'
  expect({
    outcome: await signIn(provider, another).catch(toRefusal),
    requests: provider.requests.map(({ endpoint }) => endpoint),
  }).toEqual({ outcome: { status: 400, error: 'invalid_grant' }, requests: ['discovery', 'authorize', 'token'] })
})

const toRefusal = ({ status, error }: client.ResponseBodyError) => ({ status, error })

async function discover({ issuer, clientId }: LyingProvider): Promise<client.Configuration> {
  return client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  })
}

/** @param redeemed What is sent with the code, in place of the verifier that belongs to it. */
async function signIn(provider: LyingProvider, redeemed?: string) {
  const configuration = await discover(provider)
  const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    state,
    nonce,
    code_challenge_method: 'S256',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
  })
  const response = await fetch(address, { redirect: 'manual' })
  const back = new URL(response.headers.get('location') ?? '')
  const checks = { pkceCodeVerifier: redeemed ?? verifier, expectedState: state, expectedNonce: nonce }
  return client.authorizationCodeGrant(configuration, back, checks)
}
