import { describe, expect, test } from 'vitest'
import { startStrictGateway, startTestGateway } from '../turn/test-gateway.ts'
import { setHelperStage, setStage, startedAt, told } from './stage.ts'

const refresh = (cause: 'ttl-passed' | 'unauthorized') => told.run('mid-session-refresh', cause)
const exit4 = told.failed({ reason: 'exit-status', message: 'the helper failed with exit status 4' })

describe('the credential in memory', () => {
  test('serves turn after turn, and the next session', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [])
    const session = await stage.client.startSession()
    await session.sendTurn('one')
    stage.passSec(90)
    await session.sendTurn('two')
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.reused(0),
      ...told.turnDone,
      told.reused(90),
      ...told.turnDone,
    ])

    stage.passSec(30)
    const next = await stage.client.startSession()
    await next.sendTurn('three')
    expect(stage.happenings()).toEqual([told.started(), told.reused(120), told.reused(120), ...told.turnDone])
    expect(await stage.contexts()).toEqual(['interactive'])
  })

  test('a turn gives what the gateway answers', async () => {
    const { url } = await startTestGateway()
    const session = await (await setHelperStage(url, [])).client.startSession()
    expect(await session.sendTurn('Hello, ö!')).toBe('Hello, ö!')
  })

  test('every event carries its session and the client’s own time', async () => {
    const { url } = await startTestGateway()
    const { client, events, passSec } = setStage(url, { kind: 'static', apiKey: 'key' })
    const first = await client.startSession()
    passSec(60)
    const second = await client.startSession()
    passSec(60)
    await first.sendTurn('x')
    expect([first.id, second.id]).toEqual([1, 2])
    expect(events.map(({ session, at, type }) => [session, (at - startedAt) / 1000, type])).toEqual([
      [1, 0, 'session-started'],
      [2, 60, 'session-started'],
      [1, 120, 'request-answered'],
      [1, 120, 'turn-succeeded'],
    ])
  })

  test('a scheduled task runs the helper in its own context', async () => {
    const stage = await setHelperStage('http://127.0.0.1:9', [])
    await stage.client.startSession('scheduled-task')
    expect(stage.happenings()).toEqual([
      told.started('scheduled-task'),
      told.run('scheduled-task', 'session-start'),
      told.printed(),
    ])
    expect(await stage.contexts()).toEqual(['scheduled-task'])
  })
})

describe('the ttl', () => {
  test.each<[what: string, ttl: { ttlSec?: number }, lastSec: number]>([
    ['that the document leaves out', {}, 3599],
    ['of 121 s', { ttlSec: 121 }, 120],
    ['of two hours', { ttlSec: 7200 }, 7199],
  ])('%s is over to the second, before the turn', async (_, ttl, lastSec) => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [], ttl)
    const session = await stage.client.startSession()
    stage.passSec(lastSec)
    await session.sendTurn('still')
    stage.passSec(1)
    await session.sendTurn('over')
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.reused(lastSec),
      ...told.turnDone,
      refresh('ttl-passed'),
      told.printed(),
      ...told.turnDone,
    ])
    expect(await stage.contexts()).toEqual(['interactive', 'mid-session-refresh'])
  })

  test('counts anew from each run', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [], { ttlSec: 600 })
    const session = await stage.client.startSession()
    stage.passSec(1000)
    await session.sendTurn('over')
    stage.passSec(599)
    await session.sendTurn('still')
    expect(stage.happenings().slice(3)).toEqual([
      refresh('ttl-passed'),
      told.printed(),
      ...told.turnDone,
      told.reused(599),
      ...told.turnDone,
    ])
  })

  test('of 120 s or less is not checked before a turn, and is at the next session start', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [], { ttlSec: 120 })
    const session = await stage.client.startSession()
    stage.passSec(119)
    await stage.client.startSession()
    stage.passSec(3481)
    await session.sendTurn('an hour later')
    await stage.client.startSession()
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.started(),
      told.reused(119),
      told.reused(3600),
      ...told.turnDone,
      ...told.sessionStart,
    ])
  })

  test('over at a session start runs the helper in the context of that session', async () => {
    const stage = await setHelperStage('http://127.0.0.1:9', [])
    await stage.client.startSession()
    stage.passSec(3600)
    await stage.client.startSession('scheduled-task')
    expect(await stage.contexts()).toEqual(['interactive', 'scheduled-task'])
  })

  test('over, with a helper that fails: the turn is lost, and the next turn asks the helper again', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [{ stdout: 'a' }, { status: 4, stderr: 'no network' }, { stdout: 'b' }])
    const session = await stage.client.startSession()
    stage.passSec(3600)
    expect(await session.sendTurn('over')).toBeUndefined()
    await session.sendTurn('again')
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      refresh('ttl-passed'),
      { ...exit4, stderr: 'no network' },
      told.noCredential,
      refresh('ttl-passed'),
      told.printed(),
      ...told.turnDone,
    ])
  })
})

describe('a gateway that answers 401', () => {
  test('gets the turn once more, with a fresh token from a silent refresh', async () => {
    const { url } = await startStrictGateway('token-2')
    const stage = await setHelperStage(url, [])
    const session = await stage.client.startSession()
    expect(await session.sendTurn('x')).toBe('x')
    await session.sendTurn('y')
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.reused(0),
      told.answered(401),
      refresh('unauthorized'),
      told.printed(),
      told.answered(200, 2),
      told.rescued,
      told.reused(0),
      ...told.turnDone,
    ])
    expect(await stage.contexts()).toEqual(['interactive', 'mid-session-refresh'])
  })

  test('twice loses the turn: one refresh a turn', async () => {
    const { url } = await startStrictGateway()
    const stage = await setHelperStage(url, [])
    const session = await stage.client.startSession()
    expect(await session.sendTurn('x')).toBeUndefined()
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.reused(0),
      told.answered(401),
      refresh('unauthorized'),
      told.printed(),
      told.answered(401, 2),
      told.unauthorized,
    ])
  })

  test('rescues a turn over a ttl of 120 s or less just the same', async () => {
    const { url } = await startStrictGateway('token-2')
    const stage = await setHelperStage(url, [], { ttlSec: 1 })
    await (await stage.client.startSession()).sendTurn('x')
    expect(stage.happenings().at(-1)).toEqual(told.rescued)
  })

  test('loses the turn when the helper fails, and the next turn tries again', async () => {
    const { url } = await startStrictGateway('good')
    const stage = await setHelperStage(url, [{ stdout: 'bad' }, { status: 4 }, { stdout: 'good' }])
    const session = await stage.client.startSession()
    expect(await session.sendTurn('x')).toBeUndefined()
    await session.sendTurn('y')
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.reused(0),
      told.answered(401),
      refresh('unauthorized'),
      exit4,
      told.unauthorized,
      told.reused(0),
      told.answered(401),
      refresh('unauthorized'),
      told.printed(),
      told.answered(200, 2),
      told.rescued,
    ])
  })

  test('a token that was refused is not carried into the next session', async () => {
    const { url } = await startStrictGateway('good')
    const stage = await setHelperStage(url, [{ stdout: 'bad' }, { status: 4 }, { stdout: 'good' }])
    await (await stage.client.startSession()).sendTurn('x')
    await (await stage.client.startSession()).sendTurn('y')
    expect(await stage.contexts()).toEqual(['interactive', 'mid-session-refresh', 'interactive'])
    expect(stage.happenings().at(-1)).toEqual(told.done)
  })
})

describe('with silentRefreshEnabled off', () => {
  test('a 401 prompts, the token stays for the session, and the next session gets a fresh one', async () => {
    const { url } = await startStrictGateway('token-2')
    const stage = await setHelperStage(url, [], { silentRefreshEnabled: false })
    const session = await stage.client.startSession()
    await session.sendTurn('x')
    await session.sendTurn('y')
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.reused(0),
      told.answered(401),
      told.prompt,
      told.unauthorized,
      told.reused(0),
      told.answered(401),
      told.prompt,
      told.unauthorized,
    ])
    const next = await stage.client.startSession()
    await next.sendTurn('z')
    expect(stage.happenings()).toEqual([...told.sessionStart, told.reused(0), ...told.turnDone])
    expect(await stage.contexts()).toEqual(['interactive', 'interactive'])
  })

  test('a ttl that is over changes nothing before the next session start', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [], { silentRefreshEnabled: false })
    const session = await stage.client.startSession()
    stage.passSec(7200)
    await session.sendTurn('x')
    await stage.client.startSession()
    expect(stage.happenings()).toEqual([
      ...told.sessionStart,
      told.reused(7200),
      ...told.turnDone,
      ...told.sessionStart,
    ])
  })
})

describe('a helper that fails at the session start', () => {
  test('leaves the session without a credential, and the helper is not run for each turn', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [{ status: 4 }])
    const session = await stage.client.startSession()
    expect(await session.sendTurn('x')).toBeUndefined()
    expect(stage.happenings()).toEqual([
      told.started(),
      told.run('interactive', 'session-start'),
      exit4,
      told.noCredential,
    ])
  })

  test('voids what an earlier session had', async () => {
    const { url } = await startTestGateway()
    const stage = await setHelperStage(url, [{ stdout: 'old' }, { status: 4 }], { ttlSec: 60 })
    await stage.client.startSession()
    stage.passSec(60)
    const session = await stage.client.startSession()
    await session.sendTurn('x')
    expect(stage.happenings().slice(-2)).toEqual([exit4, told.noCredential])
  })

  test('by hanging, with descendants, is told with what it left behind', async () => {
    const { client, happenings } = setStage('http://127.0.0.1:9', {
      kind: 'helper-script',
      command: '/bin/sh',
      args: ['-c', 'sleep 30 & sleep 30; true'],
      timeoutSec: 1,
    })
    await client.startSession()
    expect(happenings()).toEqual([
      told.started(),
      told.run('interactive', 'session-start'),
      { type: 'survivors-found', survivors: 'ended' },
      told.failed({ reason: 'timeout', message: 'the helper did not end within 1 s and was killed' }),
    ])
  })
})

test('no event holds a secret, wherever the helper leaves it', async () => {
  const canary = 'canary-7f3a'
  const { url } = await startStrictGateway(`${canary}-good`)
  const stage = await setHelperStage(url, [
    { stdout: `{"token":"${canary}-bad","headers":{"X-A":"${canary}"}}`, stderr: `got ${canary}-bad` },
    { stdout: `${canary}-good`, stderr: `got ${canary}-good` },
    { stdout: `${canary}\n${canary}` },
    { stdout: `{"Version":1,"AccessKeyId":"${canary}"}` },
    { stdout: `{"token":["${canary}"]}` },
    { stdout: `${canary}–` },
  ])
  const session = await stage.client.startSession()
  for (let turn = 0; turn < 5; turn += 1) {
    await session.sendTurn('x')
    stage.passSec(3600)
  }
  const types = stage.events.map(({ type }) => type)
  expect(types.filter((type) => type === 'helper-failed').length).toBe(3)
  expect(stage.events.at(-1)).toMatchObject({ type: 'turn-failed', failure: 'unsendable' })
  expect(JSON.stringify(stage.events)).not.toContain(canary)
})
