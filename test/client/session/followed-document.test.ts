import { describe, expect, test } from 'vitest'
import type { ConsentAnswer } from '../../../src/client/session/agreed-document.ts'
import type { ConfigDocument, HelperScriptCredential, Inference } from '../../../src/config/document.ts'
import { writeScriptedHelper } from '../launch/scripted-helper.ts'
import { clientEvents, startedAt, startTestClient } from './test-client.ts'
import { startTestGateway } from './test-gateway.ts'

const hour = 3600

/** Returns a client whose document the test changes with `change`, and a person who answers as the test says. */
async function follow(first: Omit<ConfigDocument, 'inference'> = {}, changes: Partial<HelperScriptCredential> = {}) {
  const { url } = await startTestGateway()
  const { credential, contexts } = await writeScriptedHelper()
  const inference: Inference = { provider: 'gateway', baseUrl: url, credential: { ...credential, ...changes } }
  let served: ConfigDocument | undefined = { ...first, inference }
  let answer: ConsentAnswer = 'later'
  const asked: string[][] = []
  const setup = startTestClient(
    url,
    credential,
    {},
    {
      document: served,
      readDocument: async () => served,
      person: {
        answer: (fields) => {
          asked.push([...fields])
          return answer
        },
      },
    },
  )
  return {
    ...setup,
    inference,
    contexts,
    asked,
    serve: (document: ConfigDocument | undefined) => {
      served = document
    },
    change: (values: Inference) => {
      served = { inference: { ...inference, ...values } }
    },
    changeCredential: (values: Partial<HelperScriptCredential>) => {
      served = { inference: { ...inference, credential: { ...credential, ...changes, ...values } } }
    },
    person: (is: ConsentAnswer) => {
      answer = is
    },
  }
}

const asked = (...fields: string[]) => ({ type: 'consent-asked', fields })

describe('the next reading of the document', () => {
  test.each<[what: string, first: ConfigDocument, dueSec: number]>([
    ['after an hour, where it does not say when', {}, hour],
    ['when it expires', { expiresAt: startedAt + 600_000 }, 600],
    ['after an hour, where its end has passed already', { expiresAt: startedAt - 1 }, hour],
  ])('is due %s', async (_, first, dueSec) => {
    const setup = await follow(first)
    const computeWaitSec = () => (setup.client.dueAt() - setup.now()) / 1000
    const waitsSec = [computeWaitSec()]
    setup.change({ customHeaders: { 'X-New': '1' } })
    setup.passSec(dueSec - 1)
    await setup.client.wake()
    const early = setup.newEvents()
    setup.passSec(1)
    await setup.client.wake()
    waitsSec.push(computeWaitSec())
    expect({ early, events: setup.newEvents(), waitsSec }).toEqual({
      early: [],
      events: [{ type: 'document-read', changes: ['inference.customHeaders'] }],
      waitsSec: [dueSec, hour],
    })
  })

  test('comes before a turn where it is due', async () => {
    const setup = await follow()
    const session = await setup.client.startSession()
    setup.change({ customHeaders: { 'X-New': '1' } })
    setup.passSec(hour - 1)
    await session.sendTurn('x')
    setup.passSec(1)
    await session.sendTurn('y')
    const types = setup.newEvents().map(({ type }) => type)
    expect(types.filter((type) => ['document-read', 'turn-succeeded'].includes(type))).toEqual([
      'turn-succeeded',
      'document-read',
      'turn-succeeded',
    ])
  })

  test('is done by one of several windows', async () => {
    const setup = await follow()
    const windows = [await setup.client.startSession(), await setup.client.startSession()]
    setup.changeCredential({ args: ['-e', 'console.log(1)'] })
    setup.passSec(hour)
    await Promise.all(windows.map((window) => window.sendTurn('x')))
    expect(setup.newEvents().filter(({ type }) => type === 'consent-asked')).toEqual([
      asked('inference.credential.args'),
    ])
  })

  test('that fails changes nothing, and is tried again after an hour', async () => {
    const setup = await follow()
    setup.serve(undefined)
    setup.passSec(hour)
    await setup.client.wake()
    const told = [setup.newEvents(), (setup.client.dueAt() - setup.now()) / 1000]
    await (await setup.client.startSession()).sendTurn('x')
    expect([...told, setup.newEvents().at(-1)]).toEqual([[{ type: 'document-unreadable' }], hour, clientEvents.done])
  })

  test('never comes where nobody says how', () => {
    expect(startTestClient('http://127.0.0.1:9', undefined).client.dueAt()).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a value that needs consent', () => {
  const answered = (answer: 'agree' | 'decline', ...fields: string[]) => ({ type: 'consent-answered', answer, fields })
  const pending = (field: string) => clientEvents.lost('consent-pending', `the person has not agreed to: ${field}`)

  test('is held back until the person agrees', async () => {
    const setup = await follow()
    const session = await setup.client.startSession()
    setup.newEvents()
    const args = ['-c', 'echo other']
    setup.changeCredential({ args })
    setup.passSec(hour)
    await session.sendTurn('x')
    const field = 'inference.credential.args'
    expect([...setup.newEvents().slice(-2), await setup.contexts()]).toEqual([
      asked(field),
      pending(field),
      ['interactive'],
    ])

    setup.person('agree')
    await session.sendTurn('y')
    expect(setup.newEvents()).toEqual([
      answered('agree', field),
      {
        type: 'document-read',
        changes: ['kind', 'command', 'args', 'ttlSec', 'timeoutSec', 'silentRefreshEnabled', 'authScheme'].map(
          (name) => `inference.credential.${name}`,
        ),
      },
      clientEvents.run('mid-session-refresh', 'document-changed'),
      clientEvents.printed(),
      clientEvents.reused(0),
      ...clientEvents.turnDone,
    ])
  })

  test('with a default takes it until then, and the token stays', async () => {
    const setup = await follow({}, { ttlSec: 7200 })
    const session = await setup.client.startSession()
    setup.changeCredential({ ttlSec: 14_400 })
    setup.passSec(hour)
    await session.sendTurn('x')
    expect(setup.newEvents().slice(3)).toEqual([
      { type: 'document-read', changes: ['inference.credential.ttlSec'] },
      asked('inference.credential.ttlSec'),
      clientEvents.run('mid-session-refresh', 'ttl-passed'),
      clientEvents.printed(),
      ...clientEvents.turnDone,
    ])
    setup.person('agree')
    setup.passSec(2 * hour)
    await session.sendTurn('y')
    expect(setup.newEvents().slice(-4)).toEqual([
      { type: 'document-read', changes: ['inference.credential.ttlSec'] },
      clientEvents.reused(2 * hour),
      ...clientEvents.turnDone,
    ])
  })

  test('that moves the gateway sends no turn anywhere before', async () => {
    const setup = await follow()
    const session = await setup.client.startSession()
    const other = await startTestGateway()
    setup.change({ baseUrl: other.url })
    setup.passSec(hour)
    await session.sendTurn('x')
    const early = { last: setup.newEvents().at(-1), requests: other.records.length }
    setup.person('agree')
    await session.sendTurn('y')
    expect({ early, later: other.records.map(({ status }) => status) }).toEqual({
      early: { last: pending('inference.baseUrl'), requests: 0 },
      later: [200],
    })
  })

  test('leads to one question while the person is away, and to one at each action of the person', async () => {
    const setup = await follow()
    const session = await setup.client.startSession()
    setup.changeCredential({ timeoutSec: 30 })
    for (let reading = 0; reading < 3; reading += 1) {
      setup.passSec(hour)
      await setup.client.wake()
    }
    const shown = setup.newEvents().filter(({ type }) => type === 'consent-asked')
    await session.sendTurn('x')
    const task = await setup.client.startSession('scheduled-task')
    await task.sendTurn('y')
    const field = 'inference.credential.timeoutSec'
    expect({ shown, asked: setup.asked }).toEqual({ shown: [asked(field)], asked: [[field], [field]] })
  })

  test('that was declined is not asked for again, and another one is', async () => {
    const setup = await follow()
    setup.person('decline')
    const session = await setup.client.startSession()
    setup.changeCredential({ timeoutSec: 30 })
    setup.passSec(hour)
    await setup.client.wake()
    await session.sendTurn('x')
    setup.changeCredential({ timeoutSec: 30, silentRefreshEnabled: false })
    setup.passSec(hour)
    await setup.client.wake()
    expect(setup.asked).toEqual([
      ['inference.credential.timeoutSec'],
      ['inference.credential.timeoutSec', 'inference.credential.silentRefreshEnabled'],
    ])
  })

  test('that is taken back before anybody answered is forgotten', async () => {
    const setup = await follow()
    setup.changeCredential({ args: ['-e', '1'] })
    setup.passSec(hour)
    await setup.client.wake()
    setup.changeCredential({})
    setup.passSec(hour)
    await setup.client.wake()
    await (await setup.client.startSession()).sendTurn('x')
    expect({ last: setup.newEvents().at(-1), asked: setup.asked }).toEqual({
      last: clientEvents.done,
      asked: [['inference.credential.args']],
    })
  })

  test('that is omitted is unset without a question', async () => {
    const setup = await follow({}, { ttlSec: 600 })
    const { ttlSec: _, ...rest } = setup.inference.credential as HelperScriptCredential
    setup.change({ credential: rest })
    setup.passSec(hour)
    await setup.client.wake()
    expect({ events: setup.newEvents(), asked: setup.asked }).toEqual({
      events: [{ type: 'document-read', changes: ['inference.credential.ttlSec'] }],
      asked: [],
    })
  })

  test('where there is no person at all is held back', async () => {
    const { url } = await startTestGateway()
    const { credential } = await writeScriptedHelper()
    const setup = startTestClient(
      url,
      credential,
      {},
      {
        readDocument: async () => ({ inference: { provider: 'gateway', baseUrl: `${url}/other`, credential } }),
      },
    )
    const session = await setup.client.startSession()
    setup.passSec(hour)
    await session.sendTurn('x')
    expect(setup.newEvents().at(-1)).toEqual(pending('inference.baseUrl'))
  })
})
