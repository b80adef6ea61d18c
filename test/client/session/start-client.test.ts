import { describe, expect, test } from 'vitest'
import { clientEvents, startedAt, startHelperClient, startTestClient } from './test-client.ts'
import { startStrictGateway, startTestGateway } from './test-gateway.ts'

const refresh = (cause: 'ttl-passed' | 'unauthorized') => clientEvents.run('mid-session-refresh', cause)
const exit4 = clientEvents.failed({ reason: 'exit-status', message: 'the helper failed with exit status 4' })

describe('the credential in memory', () => {
  test('serves turn after turn, and the next session', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [])
    const session = await setup.client.startSession()
    await session.sendTurn('one')
    setup.passSec(90)
    await session.sendTurn('two')
    setup.passSec(30)
    await (await setup.client.startSession()).sendTurn('three')
    expect({ events: setup.newEvents(), contexts: await setup.contexts() }).toEqual({
      events: [
        ...clientEvents.sessionStart,
        clientEvents.reused(0),
        ...clientEvents.turnDone,
        clientEvents.reused(90),
        ...clientEvents.turnDone,
        clientEvents.started(),
        clientEvents.reused(120),
        clientEvents.reused(120),
        ...clientEvents.turnDone,
      ],
      contexts: ['interactive'],
    })
  })

  test('a turn gives what the gateway answers', async () => {
    const { url } = await startTestGateway()
    const session = await (await startHelperClient(url, [])).client.startSession()
    expect(await session.sendTurn('Hello, ö!')).toBe('Hello, ö!')
  })

  test('every event carries its session and the client’s own time', async () => {
    const { url } = await startTestGateway()
    const { client, events, passSec } = startTestClient(url, { kind: 'static', apiKey: 'key' })
    const first = await client.startSession()
    passSec(60)
    const second = await client.startSession()
    passSec(60)
    await first.sendTurn('x')
    expect(events.map(({ session, at, type }) => [session, (at - startedAt) / 1000, type])).toEqual([
      [first.id, 0, 'session-started'],
      [second.id, 60, 'session-started'],
      [first.id, 120, 'request-answered'],
      [first.id, 120, 'turn-succeeded'],
    ])
  })

  test('a scheduled task runs the helper in its own context', async () => {
    const setup = await startHelperClient('http://127.0.0.1:9', [])
    await setup.client.startSession('scheduled-task')
    expect({ events: setup.newEvents(), contexts: await setup.contexts() }).toEqual({
      events: [
        clientEvents.started('scheduled-task'),
        clientEvents.run('scheduled-task', 'session-start'),
        clientEvents.printed(),
      ],
      contexts: ['scheduled-task'],
    })
  })
})

describe('the ttl', () => {
  test.each<[what: string, ttl: { ttlSec?: number }, lastSec: number]>([
    ['that the document leaves out', {}, 3599],
    ['of 121 s', { ttlSec: 121 }, 120],
    ['of two hours', { ttlSec: 7200 }, 7199],
  ])('%s is checked to the second before the turn', async (_, ttl, lastSec) => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [], ttl)
    const session = await setup.client.startSession()
    setup.passSec(lastSec)
    await session.sendTurn('still')
    setup.passSec(1)
    await session.sendTurn('over')
    expect({ events: setup.newEvents(), contexts: await setup.contexts() }).toEqual({
      events: [
        ...clientEvents.sessionStart,
        clientEvents.reused(lastSec),
        ...clientEvents.turnDone,
        refresh('ttl-passed'),
        clientEvents.printed(),
        ...clientEvents.turnDone,
      ],
      contexts: ['interactive', 'mid-session-refresh'],
    })
  })

  test('counts anew from each run', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [], { ttlSec: 600 })
    const session = await setup.client.startSession()
    setup.passSec(1000)
    await session.sendTurn('over')
    setup.passSec(599)
    await session.sendTurn('still')
    expect(setup.newEvents().slice(3)).toEqual([
      refresh('ttl-passed'),
      clientEvents.printed(),
      ...clientEvents.turnDone,
      clientEvents.reused(599),
      ...clientEvents.turnDone,
    ])
  })

  test('of 120 s or less is not checked before a turn, and is at the next session start', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [], { ttlSec: 120 })
    const session = await setup.client.startSession()
    setup.passSec(119)
    await setup.client.startSession()
    setup.passSec(3481)
    await session.sendTurn('an hour later')
    await setup.client.startSession()
    expect(setup.newEvents()).toEqual([
      ...clientEvents.sessionStart,
      clientEvents.started(),
      clientEvents.reused(119),
      clientEvents.reused(3600),
      ...clientEvents.turnDone,
      ...clientEvents.sessionStart,
    ])
  })

  test('that is over at a session start runs the helper in the context of that session', async () => {
    const setup = await startHelperClient('http://127.0.0.1:9', [])
    await setup.client.startSession()
    setup.passSec(3600)
    await setup.client.startSession('scheduled-task')
    expect(await setup.contexts()).toEqual(['interactive', 'scheduled-task'])
  })

  test('that is over while the helper fails loses the turn', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [{ stdout: 'a' }, { status: 4, stderr: 'no network' }, { stdout: 'b' }])
    const session = await setup.client.startSession()
    setup.passSec(3600)
    expect(await session.sendTurn('over')).toBeUndefined()
    await session.sendTurn('again')
    expect(setup.newEvents()).toEqual([
      ...clientEvents.sessionStart,
      refresh('ttl-passed'),
      { ...exit4, stderr: 'no network' },
      clientEvents.noCredential,
      refresh('ttl-passed'),
      clientEvents.printed(),
      ...clientEvents.turnDone,
    ])
  })
})

describe('a gateway that answers 401', () => {
  /** A turn whose token is refused, until the silent refresh has printed another. */
  const refreshedOnce = [
    ...clientEvents.sessionStart,
    clientEvents.reused(0),
    clientEvents.answered(401),
    refresh('unauthorized'),
    clientEvents.printed(),
  ]

  test('gets the turn once more, with a fresh token from a silent refresh', async () => {
    const { url } = await startStrictGateway('token-2')
    const setup = await startHelperClient(url, [])
    const session = await setup.client.startSession()
    const answers = [await session.sendTurn('x'), await session.sendTurn('y')]
    expect({ answers, events: setup.newEvents(), contexts: await setup.contexts() }).toEqual({
      answers: ['x', 'y'],
      events: [
        ...refreshedOnce,
        clientEvents.answered(200, 2),
        clientEvents.rescued,
        clientEvents.reused(0),
        ...clientEvents.turnDone,
      ],
      contexts: ['interactive', 'mid-session-refresh'],
    })
  })

  test('twice loses the turn: one refresh a turn', async () => {
    const { url } = await startStrictGateway()
    const setup = await startHelperClient(url, [])
    const session = await setup.client.startSession()
    expect({ answer: await session.sendTurn('x'), events: setup.newEvents() }).toEqual({
      answer: undefined,
      events: [...refreshedOnce, clientEvents.answered(401, 2), clientEvents.unauthorized],
    })
  })

  test('rescues a turn over a ttl of 120 s or less just the same', async () => {
    const { url } = await startStrictGateway('token-2')
    const setup = await startHelperClient(url, [], { ttlSec: 1 })
    await (await setup.client.startSession()).sendTurn('x')
    expect(setup.newEvents().at(-1)).toEqual(clientEvents.rescued)
  })

  test('loses the turn when the helper fails, and the next turn tries again', async () => {
    const { url } = await startStrictGateway('good')
    const setup = await startHelperClient(url, [{ stdout: 'bad' }, { status: 4 }, { stdout: 'good' }])
    const session = await setup.client.startSession()
    expect(await session.sendTurn('x')).toBeUndefined()
    await session.sendTurn('y')
    expect(setup.newEvents()).toEqual([
      ...clientEvents.sessionStart,
      clientEvents.reused(0),
      clientEvents.answered(401),
      refresh('unauthorized'),
      exit4,
      clientEvents.unauthorized,
      clientEvents.reused(0),
      clientEvents.answered(401),
      refresh('unauthorized'),
      clientEvents.printed(),
      clientEvents.answered(200, 2),
      clientEvents.rescued,
    ])
  })

  test('a token that was refused is not carried into the next session', async () => {
    const { url } = await startStrictGateway('good')
    const setup = await startHelperClient(url, [{ stdout: 'bad' }, { status: 4 }, { stdout: 'good' }])
    await (await setup.client.startSession()).sendTurn('x')
    await (await setup.client.startSession()).sendTurn('y')
    expect(await setup.contexts()).toEqual(['interactive', 'mid-session-refresh', 'interactive'])
    expect(setup.newEvents().at(-1)).toEqual(clientEvents.done)
  })
})

describe('with silentRefreshEnabled off', () => {
  test('a 401 prompts, the token stays for the session, and the next session gets a fresh one', async () => {
    const { url } = await startStrictGateway('token-2')
    const setup = await startHelperClient(url, [], { silentRefreshEnabled: false })
    const session = await setup.client.startSession()
    await session.sendTurn('x')
    await session.sendTurn('y')
    await (await setup.client.startSession()).sendTurn('z')
    const prompted = [
      clientEvents.reused(0),
      clientEvents.answered(401),
      clientEvents.prompt,
      clientEvents.unauthorized,
    ]
    expect({ events: setup.newEvents(), contexts: await setup.contexts() }).toEqual({
      events: [
        ...clientEvents.sessionStart,
        ...prompted,
        ...prompted,
        ...clientEvents.sessionStart,
        clientEvents.reused(0),
        ...clientEvents.turnDone,
      ],
      contexts: ['interactive', 'interactive'],
    })
  })

  test('a ttl that is over changes nothing before the next session start', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [], { silentRefreshEnabled: false })
    const session = await setup.client.startSession()
    setup.passSec(7200)
    await session.sendTurn('x')
    await setup.client.startSession()
    expect(setup.newEvents()).toEqual([
      ...clientEvents.sessionStart,
      clientEvents.reused(7200),
      ...clientEvents.turnDone,
      ...clientEvents.sessionStart,
    ])
  })
})

describe('a helper that fails at the session start', () => {
  test('leaves the session without a credential, and the helper is not run for each turn', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [{ status: 4 }])
    const session = await setup.client.startSession()
    expect({ answer: await session.sendTurn('x'), events: setup.newEvents() }).toEqual({
      answer: undefined,
      events: [
        clientEvents.started(),
        clientEvents.run('interactive', 'session-start'),
        exit4,
        clientEvents.noCredential,
      ],
    })
  })

  test('voids the credential of an earlier session', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [{ stdout: 'old' }, { status: 4 }], { ttlSec: 60 })
    await setup.client.startSession()
    setup.passSec(60)
    const session = await setup.client.startSession()
    await session.sendTurn('x')
    expect(setup.newEvents().slice(-2)).toEqual([exit4, clientEvents.noCredential])
  })

  test('by hanging, with descendants, is reported with what it left behind', async () => {
    const { client, newEvents } = startTestClient('http://127.0.0.1:9', {
      kind: 'helper-script',
      command: '/bin/sh',
      args: ['-c', 'sleep 30 & sleep 30; true'],
      timeoutSec: 3,
    })
    await client.startSession()
    expect(newEvents()).toEqual([
      clientEvents.started(),
      clientEvents.run('interactive', 'session-start'),
      { type: 'survivors-found', survivors: 'ended' },
      clientEvents.failed({ reason: 'timeout', message: 'the helper did not end within 3 s and was killed' }),
    ])
  })
})

test('no event holds a secret, wherever the helper leaves it', async () => {
  const canary = 'canary-7f3a'
  const { url } = await startStrictGateway(`${canary}-good`)
  const setup = await startHelperClient(url, [
    { stdout: `{"token":"${canary}-bad","headers":{"X-A":"${canary}"}}`, stderr: `got ${canary}-bad` },
    { stdout: `${canary}-good`, stderr: `got ${canary}-good` },
    { stdout: `${canary}\n${canary}` },
    { stdout: `{"Version":1,"AccessKeyId":"${canary}"}` },
    { stdout: `{"token":["${canary}"]}` },
    { stdout: `${canary}–` },
  ])
  const session = await setup.client.startSession()
  for (let turn = 0; turn < 5; turn += 1) {
    await session.sendTurn('x')
    setup.passSec(3600)
  }
  expect({
    failures: setup.events.filter(({ type }) => type === 'helper-failed').length,
    last: setup.events.at(-1),
    isShown: JSON.stringify(setup.events).includes(canary),
  }).toEqual({
    failures: 3,
    last: {
      type: 'turn-failed',
      failure: 'unsendable',
      message: 'the token or a header holds characters that HTTP cannot carry',
      waitedMs: expect.any(Number),
      session: 1,
      at: expect.any(Number),
    },
    isShown: false,
  })
})
