import { expect, test } from 'vitest'
import type { ClientContext } from '../../../src/contract/context.ts'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { failure, printed, startDesk } from './desk.ts'
import { toUnsignedJwt } from './seed-sign-in.ts'

const claims = { iss: 'https://id.example.com', sub: 'dana', email: 'dana@example.com', groups: ['a', 'b'] }
const idToken = toUnsignedJwt(claims)
const hour = 3_600
const silent = toContextVariables('background')
const refreshed = ['--bearer-token-type', 'access_token', '--scopes', 'gateway', '--refresh-token-store', 'file']

test('the ID token of a sign-in is printed with facts about the person', async () => {
  const desk = await startDesk()
  await desk.signIn({ idToken, lifeSec: 2 * hour })
  const headers = [
    'X-User: {email}',
    'X-Who: {subject} of {issuer}',
    'X-In: {claims.groups}',
    'X-As: {bearer_token_type}',
  ]
  const argv = [...desk.site, ...headers.flatMap((header) => ['--header', header])]
  const document = {
    token: idToken,
    headers: {
      'X-User': 'dana@example.com',
      'X-Who': 'dana of https://id.example.com',
      'X-In': 'a,b',
      'X-As': 'id_token',
    },
  }
  expect([await desk.run({ argv }), await desk.run({ argv })]).toEqual([printed(document), printed(document)])
  expect(desk.provider.asked()).toBe(0)
})

test('an access token that has ended is renewed once, and the new one is served from the cache', async () => {
  const desk = await startDesk()
  const argv = [...desk.site, ...refreshed, '--client-ttl', '600', '--header', 'X-Who: {subject}']
  await desk.signIn({ accessToken: 'canary-old', refreshToken: 'canary-first', lifeSec: -1, ageSec: hour }, argv)
  const document = { token: 'canary-access-1', headers: { 'X-Who': 'dana' } }
  expect([await desk.run({ argv }), await desk.run({ argv })]).toEqual([printed(document), printed(document)])
  expect(desk.provider.mints()).toBe(1)
})

test.each<[context: ClientContext, mints: number]>([
  ['interactive', 0],
  ['background', 0],
  ['mid-session-refresh', 1],
])('in %s a token that lives long is renewed %i times', async (context, mints) => {
  const desk = await startDesk()
  const argv = [...desk.site, ...refreshed]
  await desk.signIn({ accessToken: 'canary-kept', refreshToken: 'canary-first', lifeSec: 2 * hour, ageSec: 60 }, argv)
  const token = mints === 0 ? 'canary-kept' : 'canary-access-1'
  expect(await desk.run({ argv, env: toContextVariables(context) })).toEqual(printed({ token }))
  expect(desk.provider.mints()).toBe(mints)
})

const none =
  'it is not renewed, because no refresh token is kept; set refresh-token-store to file or keychain, or sign in again when it has ended'

test('without a refresh token the token is printed to its end, in a refresh too', async () => {
  const desk = await startDesk()
  await desk.signIn({ idToken, lifeSec: 1000, ageSec: 60 })
  const env = toContextVariables('mid-session-refresh')
  const warning = `the token lives 1000 s, but the client keeps it for 3600 s: ${none}`
  const { stderr, ...rest } = await desk.run({ env })
  // A busy machine takes a second or more to start the helper.
  const inTime = stderr.replace(/lives (1000|9[89]\d) s/, 'lives 1000 s')
  expect({ ...rest, stderr: inTime }).toEqual(printed({ token: idToken }, warning))
  expect(desk.provider.asked()).toBe(0)
})

const toSignIn = (site: readonly string[]) =>
  `start a new session, which lets a person sign in, or run: oidc-token sign-in ${site.join(' ')}`

test('in a silent context, a missing sign-in fails with the command to type', async () => {
  const desk = await startDesk()
  const { host } = new URL(desk.provider.url)
  expect(await desk.run({ env: silent })).toEqual(failure(4, `nobody is signed in to ${host}`, toSignIn(desk.site)))
})

test('in a silent context, a sign-in that has ended fails with the command to type', async () => {
  const desk = await startDesk()
  const { host } = new URL(desk.provider.url)
  await desk.signIn({ idToken, lifeSec: -1, ageSec: hour })
  expect(toStableValue(await desk.run({ env: silent }))).toEqual(
    toStableValue(failure(4, `the sign-in to ${host} expired at DATE`, toSignIn(desk.site))),
  )
})

test('the hint has the command that signs in although sign-in is off', async () => {
  const desk = await startDesk()
  const { host } = new URL(desk.provider.url)
  const argv = [...desk.site, '--sign-in', 'off']
  expect(await desk.run({ argv, env: toContextVariables('interactive') })).toEqual(
    failure(
      4,
      `nobody is signed in to ${host}`,
      'sign-in is off; to sign in, run with the other options of this run: oidc-token sign-in --sign-in auto',
    ),
  )
})

test('the sign-in of another person replaces the earlier one and its tokens', async () => {
  const desk = await startDesk()
  const ofAli = toUnsignedJwt({ ...claims, sub: 'ali' })
  await desk.signIn({ idToken, lifeSec: 2 * hour })
  const first = await desk.run()
  await desk.signIn({ idToken: ofAli, lifeSec: 2 * hour })
  expect([first, await desk.run()]).toEqual([printed({ token: idToken }), printed({ token: ofAli })])
})

test('clients, providers and scopes have sign-ins of their own, side by side', async () => {
  const desk = await startDesk()
  const others = [
    ['--client-id', 'other'],
    ['--token-url', 'https://id.example.com/token'],
    ['--scopes', 'email'],
  ]
  const sites = [[], ...others].map((more) => [...desk.site, ...more])
  const tokens = sites.map((_, number) => toUnsignedJwt({ ...claims, number }))
  for (const [index, argv] of sites.entries()) await desk.signIn({ idToken: tokens[index]!, lifeSec: 2 * hour }, argv)
  const outcomes = await Promise.all(sites.map((argv) => desk.run({ argv })))
  expect(outcomes).toEqual(tokens.map((token) => printed({ token })))
})

test('a header that asks for a claim fails if the provider gave no ID token', async () => {
  const desk = await startDesk()
  const argv = [...desk.site, ...refreshed, '--header', 'X-In: {claims.groups}']
  await desk.signIn({ accessToken: 'canary-kept', lifeSec: 2 * hour }, argv)
  expect(await desk.run({ argv })).toEqual(
    failure(
      3,
      'a header asks for {claims.groups}, and the provider gave no ID token',
      'add openid to scopes, and sign in again',
    ),
  )
})
