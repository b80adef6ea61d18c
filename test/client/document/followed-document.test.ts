import { describe, expect, test } from 'vitest'
import type { ConsentAnswer } from '../../../src/client/document/consent.ts'
import type { ConfigDocument, HelperScriptCredential, Inference } from '../../../src/config/document.ts'
import { writeScriptedHelper } from '../launch/scripted-helper.ts'
import { setStage, startedAt, told } from '../session/stage.ts'
import { startTestGateway } from '../turn/test-gateway.ts'

const hour = 3600

/** A client whose document is `change`d by the test, with a person who answers as the test says. */
async function follow(first: Omit<ConfigDocument, 'inference'> = {}, changes: Partial<HelperScriptCredential> = {}) {
  const { url } = await startTestGateway()
  const { credential, contexts } = await writeScriptedHelper()
  const inference: Inference = { provider: 'gateway', baseUrl: url, credential: { ...credential, ...changes } }
  let served: ConfigDocument | undefined = { ...first, inference }
  let answer: ConsentAnswer = 'later'
  const asked: string[][] = []
  const stage = setStage(
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
    ...stage,
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

describe('the document is read again', () => {
  test.each<[what: string, first: ConfigDocument, dueSec: number]>([
    ['after an hour, where it does not say when', {}, hour],
    ['when it expires', { expiresAt: startedAt + 600_000 }, 600],
    ['after an hour, where its end has passed already', { expiresAt: startedAt - 1 }, hour],
  ])('%s', async (_, first, dueSec) => {
    const stage = await follow(first)
    expect((stage.client.dueAt() - startedAt) / 1000).toBe(dueSec)
    stage.change({ customHeaders: { 'X-New': '1' } })
    stage.passSec(dueSec - 1)
    await stage.client.wake()
    expect(stage.happenings()).toEqual([])
    stage.passSec(1)
    await stage.client.wake()
    expect(stage.happenings()).toEqual([{ type: 'document-read', changes: ['inference.customHeaders'] }])
    expect((stage.client.dueAt() - stage.now()) / 1000).toBe(hour)
  })

  test('before a turn, by which nothing that is due is missed', async () => {
    const stage = await follow()
    const session = await stage.client.startSession()
    stage.change({ customHeaders: { 'X-New': '1' } })
    stage.passSec(hour - 1)
    await session.sendTurn('x')
    stage.passSec(1)
    await session.sendTurn('y')
    const types = stage.happenings().map(({ type }) => type)
    expect(types.filter((type) => type === 'document-read')).toHaveLength(1)
    expect(types.at(-1)).toBe('turn-succeeded')
  })

  test('by one of several windows, not by each', async () => {
    const stage = await follow()
    const windows = [await stage.client.startSession(), await stage.client.startSession()]
    stage.changeCredential({ args: ['-e', 'console.log(1)'] })
    stage.passSec(hour)
    await Promise.all(windows.map((window) => window.sendTurn('x')))
    expect(stage.happenings().filter(({ type }) => type === 'consent-asked')).toHaveLength(1)
  })

  test('and one that cannot be read changes nothing, and is tried again after an hour', async () => {
    const stage = await follow()
    stage.serve(undefined)
    stage.passSec(hour)
    await stage.client.wake()
    expect(stage.happenings()).toEqual([{ type: 'document-unreadable' }])
    expect((stage.client.dueAt() - stage.now()) / 1000).toBe(hour)
    await (await stage.client.startSession()).sendTurn('x')
    expect(stage.happenings().at(-1)).toEqual(told.done)
  })

  test('never, where nobody says how', () => {
    expect(setStage('http://127.0.0.1:9', undefined).client.dueAt()).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a value that needs consent', () => {
  const asked = (...fields: string[]) => ({ type: 'consent-asked', fields })
  const answered = (answer: 'agree' | 'decline', ...fields: string[]) => ({ type: 'consent-answered', answer, fields })
  const pending = (field: string) => told.lost('consent-pending', `the person has not agreed to: ${field}`)

  test('is held back until the person agrees: other arguments run nothing before, and the helper anew after', async () => {
    const stage = await follow()
    const session = await stage.client.startSession()
    stage.happenings()
    const args = ['-e', "console.log('other')"]
    stage.changeCredential({ args })
    stage.passSec(hour)
    await session.sendTurn('x')
    const field = 'inference.credential.args'
    expect(stage.happenings().slice(-2)).toEqual([asked(field), pending(field)])
    expect(await stage.contexts()).toEqual(['interactive'])

    stage.person('agree')
    await session.sendTurn('y')
    expect(stage.happenings()).toEqual([
      answered('agree', field),
      { type: 'document-read', changes: expect.arrayContaining([field]) },
      told.run('mid-session-refresh', 'document-changed'),
      told.printed(),
      told.reused(0),
      ...told.turnDone,
    ])
  })

  test('with a default takes it until then, and the token stays', async () => {
    const stage = await follow({}, { ttlSec: 7200 })
    const session = await stage.client.startSession()
    stage.changeCredential({ ttlSec: 14_400 })
    stage.passSec(hour)
    await session.sendTurn('x')
    expect(stage.happenings().slice(3)).toEqual([
      { type: 'document-read', changes: ['inference.credential.ttlSec'] },
      asked('inference.credential.ttlSec'),
      told.run('mid-session-refresh', 'ttl-passed'),
      told.printed(),
      ...told.turnDone,
    ])
    stage.person('agree')
    stage.passSec(2 * hour)
    await session.sendTurn('y')
    expect(stage.happenings().slice(-4)).toEqual([
      { type: 'document-read', changes: ['inference.credential.ttlSec'] },
      told.reused(2 * hour),
      ...told.turnDone,
    ])
  })

  test('that moves the gateway sends no turn anywhere before', async () => {
    const stage = await follow()
    const session = await stage.client.startSession()
    const other = await startTestGateway()
    stage.change({ baseUrl: other.url })
    stage.passSec(hour)
    await session.sendTurn('x')
    expect(stage.happenings().at(-1)).toEqual(pending('inference.baseUrl'))
    expect(other.records).toEqual([])
    stage.person('agree')
    await session.sendTurn('y')
    expect(other.records.map(({ status }) => status)).toEqual([200])
  })

  test('is asked once where the person is away, and again at each thing the person does', async () => {
    const stage = await follow()
    const session = await stage.client.startSession()
    stage.changeCredential({ timeoutSec: 30 })
    for (let reading = 0; reading < 3; reading += 1) {
      stage.passSec(hour)
      await stage.client.wake()
    }
    expect(stage.happenings().filter(({ type }) => type === 'consent-asked')).toHaveLength(1)
    await session.sendTurn('x')
    const task = await stage.client.startSession('scheduled-task')
    await task.sendTurn('y')
    expect(stage.asked).toEqual([['inference.credential.timeoutSec'], ['inference.credential.timeoutSec']])
  })

  test('that was declined is not asked for again, and another one is', async () => {
    const stage = await follow()
    stage.person('decline')
    const session = await stage.client.startSession()
    stage.changeCredential({ timeoutSec: 30 })
    stage.passSec(hour)
    await stage.client.wake()
    await session.sendTurn('x')
    expect(stage.asked).toHaveLength(1)
    stage.changeCredential({ timeoutSec: 30, silentRefreshEnabled: false })
    stage.passSec(hour)
    await stage.client.wake()
    expect(stage.asked.at(-1)).toEqual(['inference.credential.timeoutSec', 'inference.credential.silentRefreshEnabled'])
  })

  test('that is taken back before anybody answered is forgotten', async () => {
    const stage = await follow()
    stage.changeCredential({ args: ['-e', '1'] })
    stage.passSec(hour)
    await stage.client.wake()
    stage.changeCredential({})
    stage.passSec(hour)
    await stage.client.wake()
    await (await stage.client.startSession()).sendTurn('x')
    expect(stage.happenings().at(-1)).toEqual(told.done)
    expect(stage.asked).toHaveLength(1)
  })

  test('that is omitted is unset without a question', async () => {
    const stage = await follow({}, { ttlSec: 600 })
    const { ttlSec: _, ...rest } = stage.inference.credential as HelperScriptCredential
    stage.change({ credential: rest })
    stage.passSec(hour)
    await stage.client.wake()
    expect(stage.happenings()).toEqual([{ type: 'document-read', changes: ['inference.credential.ttlSec'] }])
    expect(stage.asked).toEqual([])
  })

  test('where there is no person at all stays held back', async () => {
    const { url } = await startTestGateway()
    const { credential } = await writeScriptedHelper()
    const stage = setStage(
      url,
      credential,
      {},
      {
        readDocument: async () => ({ inference: { provider: 'gateway', baseUrl: `${url}/other`, credential } }),
      },
    )
    const session = await stage.client.startSession()
    stage.passSec(hour)
    await session.sendTurn('x')
    expect(stage.happenings().at(-1)).toEqual(pending('inference.baseUrl'))
  })
})
