import { describe, expect, test } from 'vitest'
import { setHelperStage, told } from '../session/stage.ts'
import { startStrictGateway, startTestGateway } from '../turn/test-gateway.ts'

describe('several windows', () => {
  test('share one credential in memory', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [])
    const windows = [await stage.client.startSession(), await stage.client.startSession('scheduled-task')]
    await Promise.all(windows.map((window) => window.sendTurn('x')))
    expect(windows.map(({ id }) => id)).toEqual([1, 2])
    expect(await stage.contexts()).toEqual(['interactive'])
  })

  test('each run the helper where all find the ttl over at once, and all turns go through', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [])
    const windows = await Promise.all([1, 2, 3].map(() => stage.client.startSession()))
    stage.passSec(3600)
    const answers = await Promise.all(windows.map((window) => window.sendTurn('x')))
    expect(answers).toEqual(['x', 'x', 'x'])
    expect((await stage.contexts()).toSorted()).toEqual([
      ...['interactive', 'interactive', 'interactive'],
      ...['mid-session-refresh', 'mid-session-refresh', 'mid-session-refresh'],
    ])
  })

  test('that were refused with an old token do not spoil the fresh one', async () => {
    const gateway = await startStrictGateway('token-1', 'token-2', 'token-3')
    const stage = await setHelperStage(gateway.url, [])
    const windows = [await stage.client.startSession(), await stage.client.startSession()]
    await windows[0]?.sendTurn('x')
    gateway.revokeAll()
    await Promise.all(windows.map((window) => window.sendTurn('y')))
    stage.happenings()
    await (await stage.client.startSession()).sendTurn('z')
    expect(stage.happenings()).toEqual([told.started(), told.reused(0), told.reused(0), ...told.turnDone])
  })

  test('of which one cannot be opened leave the others as they are', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [{ stdout: 'a' }, { status: 4 }], { ttlSec: 60 })
    const first = await stage.client.startSession()
    stage.passSec(60)
    const second = await stage.client.startSession()
    expect([await first.sendTurn('x'), await second.sendTurn('y')]).toEqual(['x', undefined])
  })

  test('of which one could not be opened get the credential of a later one', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [{ status: 4 }, { stdout: 'a' }])
    const first = await stage.client.startSession()
    await stage.client.startSession()
    expect(await first.sendTurn('x')).toBe('x')
  })

  test('can be numbered by whoever draws them', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [])
    expect((await stage.client.startSession('interactive', 7)).id).toBe(7)
    expect((await stage.client.startSession()).id).toBe(8)
    expect(stage.events.map(({ session }) => session)).toEqual([7, 7, 7, 8, 8])
  })
})

describe('the check before a turn', () => {
  test.each<[lookAheadSec: number, lastSec: number]>([
    [0, 3599],
    [60, 3539],
  ])('looks %s s ahead', async (lookAheadSec, lastSec) => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [], {}, { lookAheadSec })
    const session = await stage.client.startSession()
    stage.passSec(lastSec)
    await session.sendTurn('still')
    stage.passSec(1)
    await session.sendTurn('over')
    expect(await stage.contexts()).toEqual(['interactive', 'mid-session-refresh'])
  })
})

describe('a run outside of sessions', () => {
  test.each([
    ['background', 'probe'],
    ['setup-test', 'setup-test'],
  ] as const)('in %s keeps nothing of what is printed', async (context, cause) => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [])
    const run = await stage.client.probe(context)
    await stage.client.startSession()
    expect(run?.ok).toBe(true)
    expect(stage.happenings()).toEqual([told.run(context, cause), told.printed(), ...told.sessionStart])
    expect(stage.events.slice(0, 2).map(({ session }) => session)).toEqual([undefined, undefined])
    expect(await stage.contexts()).toEqual([context, 'interactive'])
  })
})

test('a relaunch empties the memory, and sessions start anew', async () => {
  const { url } = await startTestGateway()
  const stage = await setHelperStage(url, [])
  await stage.client.startSession()
  await stage.client.relaunch()
  await (await stage.client.startSession()).sendTurn('x')
  expect(stage.happenings()).toEqual([
    ...told.sessionStart,
    { type: 'relaunched' },
    ...told.sessionStart,
    told.reused(0),
    ...told.turnDone,
  ])
})
