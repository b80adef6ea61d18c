import { describe, expect, test } from 'vitest'
import type { ClientSettings } from '../../../src/client/session/client.ts'
import type { Credential, Inference } from '../../../src/config/document.ts'
import { startTestClient } from '../session/test-client.ts'
import { startTestGateway } from '../session/test-gateway.ts'
import { renderSignIn, renderTimeline, renderTurn } from '../timeline.ts'
import { createMadeUpProvider, failWith } from './made-up-sign-in.ts'

const oidc = { clientId: 'desktop', issuer: 'https://login.example.com' }
const externalIdp: Credential = { kind: 'external-idp', oidc }

/** Returns a client with a person, a made-up provider and a gateway that accepts every token except those that it is told to refuse. */
async function stage(
  credential: Credential = externalIdp,
  inference: Inference = {},
  more: Partial<ClientSettings> = {},
) {
  const provider = createMadeUpProvider()
  const refused = new Set<string>()
  const seen: string[] = []
  const gateway = await startTestGateway((token) => {
    seen.push(token)
    return refused.has(token) ? { ok: false, reason: 'revoked' } : { ok: true }
  })
  const { openSignIn } = provider
  const setup = startTestClient(gateway.url, credential, inference, { ...more, world: { openSignIn } })
  const timeline = () => renderTimeline(setup.events)
  return { ...setup, provider, refused, seen, timeline, url: gateway.url }
}

describe('a session that a person starts', () => {
  test('signs in once, and renews an expired token without the person', async () => {
    const { client, passSec, timeline, seen } = await stage()
    const session = await client.startSession()
    await session.sendTurn('x')
    passSec(3599)
    await session.sendTurn('x')
    passSec(1)
    await session.sendTurn('x')
    expect({ timeline: timeline(), seen }).toEqual({
      timeline: `\
${renderSignIn()}
${renderTurn()}
09:59:59  the client has a token, 59 min old
09:59:59  gateway answers 200
09:59:59  turn done
10:00:00  the token is renewed without the person, because it has expired
10:00:00  token renewed; the token lives 1 h 0 min
10:00:00  gateway answers 200
10:00:00  turn done
`,
      seen: ['token-1', 'token-1', 'token-2'],
    })
  })

  test('joins the sign-in of another window, and the token serves both', async () => {
    const { client, provider, timeline } = await stage()
    const sessions = await Promise.all([client.startSession(), client.startSession()])
    await Promise.all(sessions.map((session) => session.sendTurn('x')))
    expect({ timeline: timeline(), asked: provider.asked }).toEqual({
      timeline: `\
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  session 2 starts (interactive)
09:00:00  the person is signed in; the token lives 1 h 0 min
09:00:00  the sign-in of another window counts here too
09:00:00  the client has a token, 0 s old
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done
09:00:00  gateway answers 200
09:00:00  turn done
`,
      asked: ['sign-in desktop'],
    })
  })

  test('serves the turn of a window that has no token any more, if it comes meanwhile', async () => {
    const { client, provider, passSec, timeline } = await stage()
    provider.isRenewable = false
    const session = await client.startSession()
    passSec(3600)
    const person = Promise.withResolvers<void>()
    provider.delay = person.promise
    const starting = client.startSession()
    await expect.poll(() => provider.asked).toHaveLength(2)
    const turn = session.sendTurn('x')
    setImmediate(person.resolve)
    await Promise.all([starting, turn])
    expect(timeline()).toBe(`\
${renderSignIn()}
${renderSignIn(2, '10:00:00')}
10:00:00  the sign-in of another window counts here too
10:00:00  gateway answers 200
10:00:00  turn done
`)
  })

  test('that is denied loses its turns, and the next start asks again', async () => {
    const { client, provider, timeline } = await stage()
    provider.failure = failWith('refused', 'the sign-in was denied in the browser')
    await (await client.startSession()).sendTurn('x')
    provider.failure = undefined
    await (await client.startSession()).sendTurn('x')
    expect(timeline()).toBe(`\
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  nobody is signed in (refused): the sign-in was denied in the browser
09:00:00  the person is asked to start a new session
09:00:00  turn lost (sign-in-required): the sign-in was denied in the browser
${renderSignIn(2)}
${renderTurn()}
`)
  })

  test('opens no browser where the token can be renewed, or where the provider cannot be reached', async () => {
    const { client, provider, passSec } = await stage()
    await client.startSession()
    passSec(3600)
    provider.failure = failWith('unavailable', 'the provider cannot be reached')
    await client.startSession()
    provider.failure = undefined
    await client.startSession()
    expect(provider.asked).toEqual(['sign-in desktop', 'renewal desktop', 'renewal desktop'])
  })
})

describe('a scheduled session', () => {
  test('asks nobody, and uses what a person has signed in to', async () => {
    const { client, provider, passSec, timeline } = await stage()
    await (await client.startSession('scheduled-task')).sendTurn('x')
    await client.startSession()
    passSec(7200)
    await (await client.startSession('scheduled-task')).sendTurn('x')
    expect({ timeline: timeline(), asked: provider.asked }).toEqual({
      timeline: `\
09:00:00  session 1 starts (scheduled-task)
09:00:00  turn lost (sign-in-required): nobody is signed in; a person does that by starting a session
${renderSignIn(2)}
11:00:00  session 3 starts (scheduled-task)
11:00:00  the token is renewed without the person, because a session starts and it has expired
11:00:00  token renewed; the token lives 1 h 0 min
${renderTurn('11:00:00')}
`,
      asked: ['sign-in desktop', 'renewal desktop'],
    })
  })
})

describe('a token that the gateway refuses', () => {
  test('is renewed once for all windows, and their turns are repeated', async () => {
    const { client, provider, refused, seen, timeline } = await stage()
    const sessions = await Promise.all([client.startSession(), client.startSession(), client.startSession()])
    refused.add('token-1')
    await Promise.all(sessions.map((session) => session.sendTurn('x')))
    expect({
      asked: provider.asked,
      seen: seen.toSorted(),
      rescued: timeline().match(/turn rescued by the refresh/g)?.length,
    }).toEqual({
      asked: ['sign-in desktop', 'renewal desktop'],
      seen: [...Array(3).fill('token-1'), ...Array(3).fill('token-2')],
      rescued: 3,
    })
  })

  test('after its renewal too leads to a new session, which signs in anew', async () => {
    const { client, provider, refused, timeline } = await stage()
    const session = await client.startSession()
    for (const token of ['token-1', 'token-2']) refused.add(token)
    await session.sendTurn('x')
    await session.sendTurn('x')
    await client.startSession()
    await session.sendTurn('x')
    expect({ timeline: timeline(), asked: provider.asked }).toEqual({
      timeline: `\
${renderSignIn()}
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 401
09:00:00  the token is renewed without the person, because the gateway refused it
09:00:00  token renewed; the token lives 1 h 0 min
09:00:00  gateway answers 401 to the repeated request
09:00:00  the person is asked to start a new session
09:00:00  turn lost (unauthorized): the gateway answered with HTTP 401
09:00:00  the person is asked to start a new session
09:00:00  turn lost (sign-in-required): the gateway has refused the token
${renderSignIn(2)}
${renderTurn()}
`,
      asked: ['sign-in desktop', 'renewal desktop', 'sign-in desktop'],
    })
  })

  test('without a refresh token is not sent again, and the person is asked for a new session', async () => {
    const { client, provider, refused, seen, timeline } = await stage()
    provider.isRenewable = false
    const session = await client.startSession()
    refused.add('token-1')
    await session.sendTurn('x')
    await session.sendTurn('x')
    await (await client.startSession()).sendTurn('x')
    expect({ timeline: timeline(), seen }).toEqual({
      timeline: `\
${renderSignIn()}
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 401
09:00:00  the person is asked to start a new session
09:00:00  turn lost (unauthorized): the gateway answered with HTTP 401
09:00:00  the person is asked to start a new session
09:00:00  turn lost (sign-in-required): the gateway has refused the token
${renderSignIn(2)}
${renderTurn()}
`,
      seen: ['token-1', 'token-2'],
    })
  })
})

describe('a renewal', () => {
  test('that the provider refuses is not tried again: the person is asked for a new session', async () => {
    const { client, provider, passSec, timeline } = await stage()
    const session = await client.startSession()
    passSec(3600)
    provider.failure = failWith('sign-in-required', 'the provider refused the refresh token (invalid_grant)')
    await session.sendTurn('x')
    await session.sendTurn('x')
    expect(timeline()).toBe(`\
${renderSignIn()}
10:00:00  the token is renewed without the person, because it has expired
10:00:00  token not renewed (sign-in-required): the provider refused the refresh token (invalid_grant)
10:00:00  the person is asked to start a new session
10:00:00  turn lost (sign-in-required): the provider refused the refresh token (invalid_grant)
10:00:00  the person is asked to start a new session
10:00:00  turn lost (sign-in-required): the provider refused the refresh token (invalid_grant)
`)
  })

  test('that fails for a while does not take the last seconds from a token', async () => {
    const { client, provider, passSec, timeline } = await stage(externalIdp, {}, { lookAheadSec: 60 })
    const session = await client.startSession()
    passSec(3550)
    provider.failure = failWith('unavailable', 'the provider cannot be reached')
    await session.sendTurn('x')
    passSec(50)
    await session.sendTurn('x')
    expect(timeline()).toBe(`\
${renderSignIn()}
09:59:10  the token is renewed without the person, because it has expired
09:59:10  token not renewed (unavailable): the provider cannot be reached
09:59:10  the client has a token, 59 min old
09:59:10  gateway answers 200
09:59:10  turn done
10:00:00  the token is renewed without the person, because it has expired
10:00:00  token not renewed (unavailable): the provider cannot be reached
10:00:00  turn lost (no-credential): the provider cannot be reached
`)
  })

  test('is not needed for a token without a known life', async () => {
    const { client, provider, passSec } = await stage()
    provider.lifeSec = undefined
    const session = await client.startSession()
    passSec(1_000_000)
    await session.sendTurn('x')
    expect(provider.asked).toEqual(['sign-in desktop'])
  })
})

describe('the end of a sign-in', () => {
  test('after sessionLifetimeSec forgets every token', async () => {
    const { client, provider, passSec, timeline } = await stage(externalIdp, { sessionLifetimeSec: 7200 })
    const session = await client.startSession()
    passSec(6900)
    await session.sendTurn('x')
    passSec(300)
    await session.sendTurn('x')
    await client.startSession()
    expect(timeline()).toBe(`\
${renderSignIn()}
10:55:00  a banner asks to sign in again within 5 min
10:55:00  the token is renewed without the person, because it has expired
10:55:00  token renewed; the token lives 1 h 0 min
10:55:00  gateway answers 200
10:55:00  turn done
11:00:00  the sign-in has expired
11:00:00  turn lost (sign-in-expired): the sign-in has expired; a new session renews it
${renderSignIn(2, '11:00:00')}
`)
    expect(provider.opened).toHaveLength(2)
  })

  test('is a relaunch, which keeps nothing', async () => {
    const { client, provider, seen } = await stage(externalIdp, { sessionLifetimeSec: 7200 })
    const person = Promise.withResolvers<void>()
    provider.delay = person.promise
    const starting = client.startSession()
    await expect.poll(() => provider.asked).toEqual(['sign-in desktop'])
    await client.relaunch()
    person.resolve()
    await starting
    const dueAt = client.dueAt()
    await (await client.startSession()).sendTurn('x')
    expect({ dueAt, opened: provider.opened.length, asked: provider.asked, seen }).toEqual({
      dueAt: Number.POSITIVE_INFINITY,
      opened: 2,
      asked: ['sign-in desktop', 'sign-in desktop'],
      seen: ['token-2'],
    })
  })
})

describe('a document that changes', () => {
  async function change(next: Credential, answer: 'agree' | 'later' = 'agree') {
    const documents: Inference[] = []
    const played = await stage(
      externalIdp,
      {},
      {
        readDocument: async () => ({ inference: documents[0]! }),
        person: { answer: () => answer },
      },
    )
    documents.push({ provider: 'gateway', baseUrl: played.url, credential: next })
    const session = await played.client.startSession()
    await session.sendTurn('x')
    played.passSec(3600)
    await session.sendTurn('x')
    return { ...played, session }
  }

  test('to another client never sends the token of the old one, and asks for a new session', async () => {
    const { client, provider, seen, timeline } = await change({
      kind: 'external-idp',
      oidc: { ...oidc, clientId: 'new' },
    })
    await (await client.startSession()).sendTurn('x')
    expect(timeline()).toBe(`\
${renderSignIn()}
${renderTurn()}
10:00:00  the document has changed: inference.credential.kind, inference.credential.authFlow, inference.credential.oidc.clientId, inference.credential.oidc.issuer, inference.credential.oidc.bearerTokenType, inference.credential.oidc.appendOfflineAccess
10:00:00  the person is asked to agree to: inference.credential.oidc.clientId
10:00:00  the person agrees
10:00:00  the document has changed: inference.credential.kind, inference.credential.authFlow, inference.credential.oidc.clientId, inference.credential.oidc.issuer, inference.credential.oidc.bearerTokenType, inference.credential.oidc.appendOfflineAccess
10:00:00  the person is asked to start a new session
10:00:00  turn lost (sign-in-required): nobody is signed in; a person does that by starting a session
${renderSignIn(2, '10:00:00')}
${renderTurn('10:00:00')}
`)
    expect([provider.asked, seen]).toEqual([
      ['sign-in desktop', 'sign-in new'],
      ['token-1', 'token-2'],
    ])
  })

  test('to another provider sends no token and opens no browser until the person has agreed', async () => {
    const issuer = 'https://other.example.com'
    const { client, provider, seen, timeline } = await change(
      { kind: 'external-idp', oidc: { ...oidc, issuer } },
      'later',
    )
    await (await client.startSession()).sendTurn('x')
    const [, after = ''] = timeline().split('10:00:00  the person is asked to agree to')
    expect(after).toBe(`: inference.credential.oidc.issuer
10:00:00  turn lost (consent-pending): the person has not agreed to: inference.credential.oidc.issuer
10:00:00  session 2 starts (interactive)
10:00:00  turn lost (consent-pending): the person has not agreed to: inference.credential.oidc.issuer
`)
    expect({ asked: provider.asked, seen }).toEqual({ asked: ['sign-in desktop'], seen: ['token-1'] })
  })

  test('to another spelling of the same provider goes on with the same sign-in', async () => {
    const { provider, seen } = await change({ kind: 'interactive', oidc })
    expect({ asked: provider.asked, seen }).toEqual({
      asked: ['sign-in desktop', 'renewal desktop'],
      seen: ['token-1', 'token-2'],
    })
  })
})

describe('a sign-in that cannot be tried here', () => {
  async function play(credential: Credential): Promise<string> {
    const { client, timeline, provider } = await stage(credential)
    await (await client.startSession()).sendTurn('x')
    expect(provider.opened).toEqual([])
    return timeline()
  }

  test('with the broker says what it needs and what would happen', async () => {
    expect(await play({ ...externalIdp, authFlow: 'broker' })).toBe(`\
09:00:00  session 1 starts (interactive)
09:00:00  turn lost (broker-needed): authFlow "broker" needs the operating system's broker: on Windows the Web Account Manager (WAM), a part of Windows; on macOS the Company Portal app with its single sign-on extension; on Linux the identity broker (microsoft-identity-broker, with the Intune portal); there the client asks it for a token of the account that the device is signed in with, and no browser opens. This stand-in has no broker, so no turn is sent
`)
  })

  test('at the gateway itself says so', async () => {
    expect(await play({ kind: 'interactive' })).toBe(`\
09:00:00  session 1 starts (interactive)
09:00:00  turn lost (unsupported-kind): kind "interactive" without oidc is a sign-in at the gateway itself, whose protocol no specification shows, so it cannot be tried here
`)
  })

  test.each<[Credential, string]>([
    [{ kind: 'external-idp' }, 'the document names no identity provider (oidc)'],
    [
      { kind: 'external-idp', oidc: { clientId: 'desktop', tokenUrl: 'https://login.example.com/token' } },
      'oidc needs clientId, and issuer or both authorizationUrl and tokenUrl',
    ],
  ])('loses the turn of %j: %s', async (credential, message) => {
    expect(await play(credential)).toBe(`\
09:00:00  session 1 starts (interactive)
09:00:00  turn lost (no-credential): ${message}
`)
  })
})
