import { describe, expect, onTestFinished, test } from 'vitest'
import type { Oidc } from '../../../src/config/document.ts'
import { parseJwt } from '../../../src/runtime/tokens/jwt.ts'
import { createPerson, type PersonSettings } from '../../stand-ins/provider/person/create-person.ts'
import type { ProviderSettings } from '../../stand-ins/provider/settings.ts'
import { startProvider } from '../../stand-ins/provider/start-provider.ts'
import { startTestClient } from '../session/test-client.ts'
import { startTestGateway } from '../session/test-gateway.ts'
import { renderSignIn, renderTimeline, renderTurn } from '../timeline.ts'

/** Returns a client with a person, an honest provider, and a gateway that remembers its requests. */
async function stage(given: ProviderSettings = {}, person: PersonSettings = {}, oidc: Oidc = {}) {
  const provider = await startProvider({
    lifeSec: { idToken: 3600, accessToken: 3600, refreshToken: 86_400 },
    ...given,
  })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const refused = new Set<string>()
  const seen: string[] = []
  const { url } = await startTestGateway((token) => {
    if (seen.at(-1) !== token) seen.push(token)
    return refused.has(token) ? { ok: false, reason: 'revoked' } : { ok: true }
  })
  const opened: string[] = []
  const { clientId, issuer } = provider
  const credential = { kind: 'external-idp', oidc: { clientId, issuer, ...oidc } } as const
  const setup = startTestClient(
    url,
    credential,
    {},
    {
      openAddress: async (address) => {
        opened.push(address)
        await createPerson(person).open(address)
      },
    },
  )
  const timeline = () =>
    renderTimeline(setup.events)
      .replaceAll(new URL(issuer).host, 'PROVIDER')
      .replace(/ after \d+ s(?=;|\n)/g, '')
  return { ...setup, provider, refused, seen, opened, timeline }
}

describe('a person and an honest provider', () => {
  test('one tab serves three windows, whose token is renewed when its life is over', async () => {
    const { client, passSec, opened, provider, seen, timeline } = await stage()
    const sessions = await Promise.all([client.startSession(), client.startSession(), client.startSession()])
    passSec(3600)
    await Promise.all(sessions.map((session) => session.sendTurn('x')))
    expect({
      tabs: opened.length,
      renewals: provider.requests('token', 'refresh_token').length,
      subjects: seen.map((token) => parseJwt(token)?.claims.sub),
      timeline: timeline(),
    }).toEqual({
      tabs: 1,
      renewals: 1,
      subjects: ['alice'],
      timeline: `\
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  session 2 starts (interactive)
09:00:00  session 3 starts (interactive)
09:00:00  the person is signed in; the token lives 1 h 0 min
09:00:00  the sign-in of another window counts here too
09:00:00  the sign-in of another window counts here too
10:00:00  the token is renewed without the person, because it has expired
10:00:00  token renewed; the token lives 1 h 0 min
10:00:00  the renewal of another window counts here too
10:00:00  the renewal of another window counts here too
${'10:00:00  gateway answers 200\n10:00:00  turn done\n'.repeat(3)}`,
    })
  })

  test('every refresh token is used once, through refusals and renewals', async () => {
    const { client, passSec, provider, refused, seen, timeline } = await stage()
    const session = await client.startSession()
    await session.sendTurn('x')
    refused.add(seen[0] ?? '')
    await session.sendTurn('x')
    passSec(3600)
    await session.sendTurn('x')
    expect(provider.requests('token', 'refresh_token')).toHaveLength(2)
    expect(timeline()).toBe(`\
${renderSignIn()}
${renderTurn()}
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 401
09:00:00  the token is renewed without the person, because the gateway refused it
09:00:00  token renewed; the token lives 1 h 0 min
09:00:00  gateway answers 200 to the repeated request
09:00:00  turn rescued by the refresh
10:00:00  the token is renewed without the person, because it has expired
10:00:00  token renewed; the token lives 1 h 0 min
10:00:00  gateway answers 200
10:00:00  turn done
`)
  })

  test('a person who denies the consent is not asked again before the next start', async () => {
    const { client, opened, timeline } = await stage({}, { denies: true })
    const session = await client.startSession()
    await session.sendTurn('x')
    await session.sendTurn('x')
    const denied = 'the sign-in to PROVIDER was denied in the browser'
    expect(timeline()).toBe(`\
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  nobody is signed in (refused): ${denied}
09:00:00  the person is asked to start a new session
09:00:00  turn lost (sign-in-required): ${denied}
09:00:00  the person is asked to start a new session
09:00:00  turn lost (sign-in-required): ${denied}
`)
    expect(opened).toHaveLength(1)
  })

  test('a person whom an administrator signs out is asked, and signs in anew', async () => {
    const { client, passSec, provider, timeline } = await stage()
    const session = await client.startSession()
    provider.revokeEverything()
    passSec(3600)
    await session.sendTurn('x')
    await (await client.startSession()).sendTurn('x')
    const ended = 'the sign-in to PROVIDER has ended (invalid_grant); it says: grant request is invalid'
    expect(timeline()).toBe(`\
${renderSignIn()}
10:00:00  the token is renewed without the person, because it has expired
10:00:00  token not renewed (sign-in-required): ${ended}
10:00:00  the person is asked to start a new session
10:00:00  turn lost (sign-in-required): ${ended}
${renderSignIn(2, '10:00:00')}
${renderTurn('10:00:00')}
`)
  })

  test('bearerTokenType access_token sends the access token for the resource', async () => {
    const resource = 'https://gateway.example.com'
    const { client, seen } = await stage(
      { resources: { [resource]: 'chat' } },
      {},
      {
        bearerTokenType: 'access_token',
        scopes: 'openid chat',
        resource,
      },
    )
    await (await client.startSession()).sendTurn('x')
    expect(seen.map((token) => parseJwt(token)?.claims.aud)).toEqual([resource])
  })

  test('a provider that cannot be reached opens nothing, and says so', async () => {
    const { client, provider, opened, timeline } = await stage()
    await provider.goDown()
    await (await client.startSession()).sendTurn('x')
    expect(opened).toEqual([])
    expect(timeline()).toBe(`\
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  nobody is signed in (unavailable): PROVIDER cannot be reached (ECONNREFUSED)
09:00:00  the person is asked to start a new session
09:00:00  turn lost (sign-in-required): PROVIDER cannot be reached (ECONNREFUSED)
`)
  })
})

test('an address that cannot be opened ends the sign-in with the words of the program', async () => {
  const provider = await startProvider()
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const { url } = await startTestGateway()
  const { clientId, issuer } = provider
  const { client, newEvents } = startTestClient(
    url,
    { kind: 'external-idp', oidc: { clientId, issuer } },
    {},
    {
      openAddress: async () => {
        throw new Error('there is no window')
      },
    },
  )
  await client.startSession()
  expect(newEvents().at(-1)).toEqual({
    type: 'sign-in-failed',
    reason: 'refused',
    message: 'the address of the sign-in could not be opened: there is no window',
  })
})
