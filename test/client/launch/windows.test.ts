import { describe, expect, test } from 'vitest'
import { clientEvents, startHelperClient } from '../session/test-client.ts'
import { startStrictGateway, startTestGateway } from '../session/test-gateway.ts'

describe('several windows', () => {
  test('share one credential in memory', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [])
    const windows = [await setup.client.startSession(), await setup.client.startSession('scheduled-task')]
    await Promise.all(windows.map((window) => window.sendTurn('x')))
    expect({ windows: windows.map(({ id }) => id), contexts: await setup.contexts() }).toEqual({
      windows: [1, 2],
      contexts: ['interactive'],
    })
  })

  test('each run the helper where all find the ttl over at once, and all turns go through', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [])
    const windows = await Promise.all([1, 2, 3].map(() => setup.client.startSession()))
    setup.passSec(3600)
    const answers = await Promise.all(windows.map((window) => window.sendTurn('x')))
    expect({ answers, contexts: (await setup.contexts()).toSorted() }).toEqual({
      answers: ['x', 'x', 'x'],
      contexts: [
        ...['interactive', 'interactive', 'interactive'],
        ...['mid-session-refresh', 'mid-session-refresh', 'mid-session-refresh'],
      ],
    })
  })

  test('that were refused with an old token do not spoil the fresh one', async () => {
    const gateway = await startStrictGateway('token-1', 'token-2', 'token-3')
    const setup = await startHelperClient(gateway.url, [])
    const windows = [await setup.client.startSession(), await setup.client.startSession()]
    await windows[0]?.sendTurn('x')
    gateway.revokeAll()
    await Promise.all(windows.map((window) => window.sendTurn('y')))
    setup.newEvents()
    await (await setup.client.startSession()).sendTurn('z')
    expect(setup.newEvents()).toEqual([
      clientEvents.started(),
      clientEvents.reused(0),
      clientEvents.reused(0),
      ...clientEvents.turnDone,
    ])
  })

  test('stay as they are where one of them cannot be opened', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [{ stdout: 'a' }, { status: 4 }], { ttlSec: 60 })
    const first = await setup.client.startSession()
    setup.passSec(60)
    const second = await setup.client.startSession()
    expect([await first.sendTurn('x'), await second.sendTurn('y')]).toEqual(['x', undefined])
  })

  test('of which one could not be opened get the credential of a later one', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [{ status: 4 }, { stdout: 'a' }])
    const first = await setup.client.startSession()
    await setup.client.startSession()
    expect(await first.sendTurn('x')).toBe('x')
  })

  test('can be numbered by the caller', async () => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [])
    const sessions = [await setup.client.startSession('interactive', 7), await setup.client.startSession()]
    expect({ ids: sessions.map(({ id }) => id), events: setup.events.map(({ session }) => session) }).toEqual({
      ids: [7, 8],
      events: [7, 7, 7, 8, 8],
    })
  })
})

describe('the check before a turn', () => {
  test.each<[lookAheadSec: number, lastSec: number]>([
    [0, 3599],
    [60, 3539],
  ])('looks %s s ahead', async (lookAheadSec, lastSec) => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [], {}, { lookAheadSec })
    const session = await setup.client.startSession()
    setup.passSec(lastSec)
    await session.sendTurn('still')
    setup.passSec(1)
    await session.sendTurn('over')
    expect(await setup.contexts()).toEqual(['interactive', 'mid-session-refresh'])
  })
})

describe('a run outside of sessions', () => {
  test.each([
    ['background', 'probe'],
    ['setup-test', 'setup-test'],
  ] as const)('in %s keeps no credential', async (context, cause) => {
    const { url } = await startTestGateway()
    const setup = await startHelperClient(url, [])
    const run = await setup.client.probe(context)
    await setup.client.startSession()
    expect({
      isPrinted: run?.ok,
      events: setup.newEvents(),
      sessions: setup.events.slice(0, 2).map(({ session }) => session),
      contexts: await setup.contexts(),
    }).toEqual({
      isPrinted: true,
      events: [clientEvents.run(context, cause), clientEvents.printed(), ...clientEvents.sessionStart],
      sessions: [undefined, undefined],
      contexts: [context, 'interactive'],
    })
  })
})

test('a relaunch empties the memory, and sessions start anew', async () => {
  const { url } = await startTestGateway()
  const setup = await startHelperClient(url, [])
  await setup.client.startSession()
  await setup.client.relaunch()
  await (await setup.client.startSession()).sendTurn('x')
  expect(setup.newEvents()).toEqual([
    ...clientEvents.sessionStart,
    { type: 'relaunched' },
    ...clientEvents.sessionStart,
    clientEvents.reused(0),
    ...clientEvents.turnDone,
  ])
})
