import { describe, expect, test } from 'vitest'
import type { Credential, Inference } from '../../../src/config/document.ts'
import { writeScriptedHelper } from '../launch/scripted-helper.ts'
import { clientEvents, startTestClient } from '../session/test-client.ts'
import { startStrictGateway, startTestGateway } from '../session/test-gateway.ts'

describe('a document', () => {
  async function play(credential: Credential | undefined, inference: Inference = {}) {
    const { url } = await startTestGateway()
    const { client, newEvents } = startTestClient(url, credential, inference)
    await (await client.startSession()).sendTurn('x')
    return newEvents()
  }

  test('with a static key sends it', async () => {
    expect(await play({ kind: 'static', apiKey: 'key' })).toEqual([clientEvents.started(), ...clientEvents.turnDone])
  })

  test('with a static key that is refused has nothing to refresh', async () => {
    const { url } = await startStrictGateway()
    const { client, newEvents } = startTestClient(url, { kind: 'static', apiKey: 'key' })
    await (await client.startSession()).sendTurn('x')
    expect(newEvents()).toEqual([clientEvents.started(), clientEvents.answered(401), clientEvents.unauthorized])
  })

  test('with kind static and no key says so', async () => {
    expect(await play({ kind: 'static' })).toEqual([
      clientEvents.started(),
      clientEvents.lost('no-credential', 'the document has no key (apiKey)'),
    ])
  })

  test('without a credential says so', async () => {
    expect(await play(undefined)).toEqual([
      clientEvents.started(),
      clientEvents.lost('no-credential', 'the document names no credential'),
    ])
  })

  test('without a gateway runs no helper', async () => {
    const noGateway = clientEvents.lost('no-gateway', 'the document names no gateway (provider and baseUrl)')
    const helper = await writeScriptedHelper()
    const { client, newEvents } = startTestClient('', helper.credential, { provider: undefined as never })
    await (await client.startSession()).sendTurn('x')
    expect({ events: newEvents(), contexts: await helper.contexts() }).toEqual({
      events: [clientEvents.started(), noGateway],
      contexts: [],
    })
  })
})
