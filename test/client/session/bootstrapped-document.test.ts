import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ClientEvent } from '../../../src/client/client-event.ts'
import { createFailingSignIn } from '../../../src/client/credentials/client-sign-in.ts'
import type { ConsentAnswer } from '../../../src/client/session/agreed-document.ts'
import { sendTurn } from '../../../src/client/session/send-turn.ts'
import { createServedSource } from '../../../src/client/session/served-source.ts'
import { startClient } from '../../../src/client/session/start-client.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import { createToken, startBootstrapStage } from '../../bootstrap/serve/bootstrap-stage.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { renderTimeline } from '../timeline.ts'
import { startedAt } from './test-client.ts'
import { startTestGateway } from './test-gateway.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Returns a document that leads turns to the gateway of the test. */
const documentOf = (more: object = {}, customHeaders: object = { 'x-team': 'red' }) => ({
  inference: {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    customHeaders,
    credential: { kind: 'static', apiKey: 'key' },
  },
  ...more,
})

/** Returns a client over the real configuration server, whose release the test changes, on a clock that the test moves. */
async function stage({
  restart = 'decline',
  agreed = documentOf(),
  claims = { sub: 'u-1' } as object,
  isDeliveryTrusted = false,
} = {}) {
  const server = await startBootstrapStage()
  const { url: baseUrl } = await startTestGateway()
  let now = startedAt
  const events: ClientEvent[] = []
  const helper = join(await temporaryDirectory(), 'headers')
  const say = async (headers: object) => {
    await writeFile(helper, `#!/bin/sh\necho '${JSON.stringify(headers)}'\n`)
    await chmod(helper, 0o755)
  }
  await say({ authorization: `Bearer ${createToken(claims)}` })
  const url = `http://127.0.0.1:${server.port}/bootstrap`
  const source = createServedSource({
    url,
    env: {},
    platform: process.platform,
    now: () => now,
    signIn: { kind: 'headers', headers: {}, helper: { command: helper, prints: 'headers' } },
    authentication: 'external-idp',
    openSignIn: createFailingSignIn,
    fetch: createStreamFetch({ network, silenceSec: 60 }),
  })
  const state = { restart: restart as ConsentAnswer, consent: 'later' as ConsentAnswer }
  const client = startClient({
    document: agreed as never,
    server: { ...source, isDeliveryTrusted },
    person: { answer: () => state.consent, restart: () => state.restart },
    env: {},
    platform: process.platform,
    now: () => now,
    onEvent: (event) => events.push(event),
    world: { sendTurn: (turn) => sendTurn({ ...turn, inference: { ...turn.inference, baseUrl } }) },
  })
  let serial = 0
  let shown = 0
  const publish = async (document: object) => {
    serial += 1
    await server.publish({ counter: serial, documents: { '': document } }, { serial })
  }
  return {
    server,
    client,
    state,
    say,
    publish,
    /** Moves the clock, and does what is due at its own time. */
    async pass(minutes: number) {
      const until = now + minutes * 60_000
      for (let due = client.dueAt(); due <= until; due = client.dueAt()) {
        now = Math.max(now, due)
        await client.wake()
      }
      now = until
    },
    /** Returns the lines since the last call. */
    timeline: () => {
      const fresh = events.slice(shown)
      shown = events.length
      return renderTimeline(fresh)
        .trimEnd()
        .split('\n')
        .filter((line) => !/gateway answers 200|turn done/.test(line))
    },
  }
}

const given = 'the configuration server gives a document'

describe('a served document', () => {
  test('is fetched at launch, asked for every half an hour with its ETag, and costs nothing while it is the same', async () => {
    const { client, publish, pass, timeline, server } = await stage()
    await publish(documentOf())
    const session = await client.startSession()
    const turn = await session.sendTurn('x')
    await pass(65)
    const statuses = server.audited.map((line) => (line as { status: number }).status)
    expect({ turn, statuses, timeline: timeline() }).toEqual({
      turn: 'x',
      statuses: [200, 304, 304],
      timeline: [
        `09:00:00  ${given}`,
        '09:00:00  session 1 starts (interactive)',
        '09:30:00  the configuration server says that nothing has changed',
        '10:00:00  the configuration server says that nothing has changed',
      ],
    })
  })

  test('that has changed waits for a restart, which is enforced after an hour', async () => {
    const { client, publish, pass, timeline } = await stage()
    await publish(documentOf())
    const session = await client.startSession()
    await publish(documentOf({}, { 'x-team': 'blue' }))
    const answers = new Map<number, string | undefined>()
    for (let minute = 29; minute <= 91; minute += 1) {
      await pass(minute === 29 ? minute : 1)
      answers.set(minute, await session.sendTurn('x'))
    }
    const lost = [...answers].flatMap(([minute, answer]) => (answer === undefined ? [minute] : []))
    expect({ lost, timeline: timeline() }).toEqual({
      lost: [90],
      timeline: [
        `09:00:00  ${given}`,
        '09:00:00  session 1 starts (interactive)',
        `09:30:00  ${given}, which is for the next start`,
        '09:30:00  the person is asked to restart by 10:30:00, because the served document has changed: inference.customHeaders',
        '10:00:00  the configuration server says that nothing has changed',
        '10:30:00  the configuration server says that nothing has changed',
        '10:30:00  the client blocks until it has restarted',
        '10:30:00  turn lost (restart-required): the client waits for its restart, because the document has changed',
        '10:31:00  the client restarts by itself, because nobody uses it',
        `10:31:00  ${given}`,
        '10:31:00  the document has changed: inference.customHeaders',
        '10:31:00  session 1 starts (interactive)',
      ],
    })
  })

  test.each<[hours: number, words: string]>([
    [0, '09:30:00'],
    [2, '11:30:00'],
  ])('with relaunchEnforcementHours %d blocks at that time', async (relaunchEnforcementHours, at) => {
    const { client, publish, pass, timeline } = await stage()
    await publish(documentOf())
    const session = await client.startSession()
    await publish(documentOf({ relaunchEnforcementHours }))
    await pass(29)
    // Until shortly after that time.
    for (let minute = 0; minute < relaunchEnforcementHours * 60 + 5; minute += 1) {
      await session.sendTurn('x')
      await pass(1)
    }
    expect(timeline().filter((line) => /blocks|asked to restart/.test(line))).toEqual([
      `09:30:00  the person is asked to restart by ${at}, because the served document has changed: relaunchEnforcementHours`,
      `${at}  the client blocks until it has restarted`,
    ])
  })

  test('that has changed applies by itself once nobody has used the client for two minutes', async () => {
    const { client, publish, pass, timeline } = await stage()
    await publish(documentOf())
    const session = await client.startSession()
    await publish(documentOf({}, { 'x-team': 'blue' }))
    await pass(29)
    await session.sendTurn('x')
    await pass(10)
    expect(timeline().slice(2)).toEqual([
      `09:30:00  ${given}, which is for the next start`,
      '09:30:00  the person is asked to restart by 10:30:00, because the served document has changed: inference.customHeaders',
      '09:31:00  the client restarts by itself, because nobody uses it',
      `09:31:00  ${given}`,
      '09:31:00  the document has changed: inference.customHeaders',
    ])
  })

  test('that is taken back before the restart needs none', async () => {
    const { client, publish, pass, timeline } = await stage()
    await publish(documentOf())
    const session = await client.startSession()
    await publish(documentOf({}, { 'x-team': 'blue' }))
    await pass(29)
    for (let minute = 29; minute <= 60; minute += 1) {
      if (minute === 31) await publish(documentOf())
      await session.sendTurn('x')
      await pass(1)
    }
    await pass(59)
    expect(timeline().slice(-4)).toEqual([
      `10:00:00  ${given} again`,
      '10:00:00  the document in use is served again: no restart is needed',
      '10:30:00  the configuration server says that nothing has changed',
      '11:00:00  the configuration server says that nothing has changed',
    ])
  })

  test('applies at once to a person who agrees to the restart', async () => {
    const { client, publish, pass, timeline } = await stage({ restart: 'agree' })
    await publish(documentOf())
    const session = await client.startSession()
    await publish(documentOf({}, { 'x-team': 'blue' }))
    await pass(29)
    const before = await session.sendTurn('x')
    await pass(1)
    timeline()
    expect([before, await session.sendTurn('x'), ...timeline()]).toEqual([
      'x',
      'x',
      '09:30:00  the client restarts, because the person agrees',
      `09:30:00  ${given}`,
      '09:30:00  the document has changed: inference.customHeaders',
      '09:30:00  session 1 starts (interactive)',
    ])
  })

  const local = documentOf({}, { 'x-team': 'red', 'x-device': 'own' })
  const served = {
    inference: { ...documentOf().inference, customHeaders: undefined, baseUrl: 'https://other.example.com' },
  }

  test('unsets what it leaves out, and asks for consent to what is new', async () => {
    const { client, publish, state, timeline } = await stage({ agreed: local })
    await publish(served)
    const session = await client.startSession()
    const early = await session.sendTurn('x')
    state.consent = 'agree'
    expect([early, await session.sendTurn('x'), ...timeline()]).toEqual([
      undefined,
      'x',
      `09:00:00  ${given}`,
      '09:00:00  the document has changed: inference.baseUrl, inference.customHeaders',
      '09:00:00  the person is asked to agree to: inference.baseUrl',
      '09:00:00  session 1 starts (interactive)',
      '09:00:00  turn lost (consent-pending): the person has not agreed to: inference.baseUrl',
      '09:00:00  the person agrees',
      '09:00:00  the document has changed: inference.baseUrl',
    ])
  })

  test('asks for no consent where its delivery is trusted', async () => {
    const { client, publish, timeline } = await stage({ agreed: local, isDeliveryTrusted: true })
    await publish(served)
    await (await client.startSession()).sendTurn('x')
    expect(timeline()).toEqual([
      `09:00:00  ${given}`,
      '09:00:00  the document has changed: inference.baseUrl, inference.customHeaders',
      '09:00:00  session 1 starts (interactive)',
    ])
  })

  test('stays in force until a restart where the server no longer gives it', async () => {
    const { client, publish, pass, say, timeline } = await stage()
    await publish(documentOf())
    const session = await client.startSession()
    await say({ authorization: `Bearer ${createToken({ refused: 'expired' })}` })
    await pass(30)
    const before = await session.sendTurn('x')
    await client.relaunch()
    const after = await session.sendTurn('x')
    await pass(30)
    await say({ authorization: `Bearer ${createToken({ sub: 'u-1' })}` })
    await pass(30)
    expect([before, after, ...timeline()]).toEqual([
      'x',
      undefined,
      `09:00:00  ${given}`,
      '09:00:00  session 1 starts (interactive)',
      '09:30:00  no document (unauthorized): the server does not accept the sign-in (HTTP 401); the client goes on with the document that it has',
      '09:30:00  the client restarts',
      '09:30:00  no document (unauthorized): the server does not accept the sign-in (HTTP 401); the client starts without a provider',
      '09:30:00  session 1 starts (interactive)',
      '09:30:00  turn lost (no-document): the client has no document: the server does not accept the sign-in (HTTP 401)',
      '10:00:00  no document (unauthorized): the server does not accept the sign-in (HTTP 401); the client goes on without a provider',
      `10:30:00  ${given}, which is for the next start`,
      '10:30:00  the person is asked to restart by 11:30:00, because the served document has changed: inference.provider, inference.baseUrl, inference.streamIdleTimeoutSec, inference.customHeaders, inference.credential.kind, inference.credential.apiKey, inference.credential.authScheme',
      '10:30:00  the client restarts by itself, because nobody uses it',
      `10:30:00  ${given}`,
    ])
  })

  test('is missing at launch where the server has no release, or its helper prints no headers', async () => {
    const { client, say, pass, timeline } = await stage()
    await client.startSession()
    await say(['no', 'headers'])
    await pass(1)
    await client.relaunch()
    await pass(5)
    await client.relaunch()
    const unavailable =
      'no document (status): the server answers HTTP 503, and asks for a pause of 10 s; the client starts without a provider'
    expect(timeline()).toEqual([
      `09:00:00  ${unavailable}`,
      '09:00:00  session 1 starts (interactive)',
      '09:01:00  the client restarts',
      `09:01:00  ${unavailable}`,
      '09:06:00  the client restarts',
      '09:06:00  no document (sign-in): the helper for the configuration server gave no headers: it prints no JSON object of headers; the client starts without a provider',
    ])
  })
})
