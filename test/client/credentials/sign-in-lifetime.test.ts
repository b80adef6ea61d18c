import { describe, expect, test } from 'vitest'
import { clientEvents, startedAt, startHelperClient, startTestClient } from '../session/test-client.ts'
import { startTestGateway } from '../session/test-gateway.ts'

const banner = (remainingSec: number) => ({ type: 'reauthenticate-banner', remainingSec })
const expired = { type: 'sign-in-expired' }
const signInLost = clientEvents.lost('sign-in-expired', 'the sign-in has expired; a new session renews it')

async function play(sessionLifetimeSec: number) {
  const { url } = await startTestGateway()
  const setup = await startHelperClient(url, [], { ttlSec: 36_000 }, { inference: { sessionLifetimeSec } })
  const session = await setup.client.startSession()
  setup.newEvents()
  const dueSec = () => (setup.client.dueAt() - startedAt) / 1000
  return { ...setup, session, dueSec }
}

describe('sessionLifetimeSec', () => {
  test('shows its banner five minutes before the end, once, and at the end no turn goes out', async () => {
    const { client, session, dueSec, passSec, newEvents, contexts } = await play(3600)
    const due = [dueSec()]
    passSec(3299)
    await session.sendTurn('still')
    const before = newEvents()
    passSec(1)
    await client.wake()
    await client.wake()
    const near = newEvents()
    due.push(dueSec())
    passSec(300)
    await session.sendTurn('over')
    await session.sendTurn('over')
    due.push(dueSec())
    expect({ before, near, after: newEvents(), due, contexts: await contexts() }).toEqual({
      before: [clientEvents.reused(3299), ...clientEvents.turnDone],
      near: [banner(300)],
      after: [expired, signInLost, signInLost],
      due: [3300, 3600, Number.POSITIVE_INFINITY],
      contexts: ['interactive'],
    })
  })

  test('begins anew with a session for which the helper runs, and other windows go on', async () => {
    const { client, session, passSec, newEvents, contexts } = await play(3600)
    passSec(3600)
    await client.wake()
    const next = await client.startSession()
    await next.sendTurn('x')
    await session.sendTurn('y')
    expect({ events: newEvents(), contexts: await contexts() }).toEqual({
      events: [
        expired,
        ...clientEvents.sessionStart,
        clientEvents.reused(0),
        ...clientEvents.turnDone,
        clientEvents.reused(0),
        ...clientEvents.turnDone,
      ],
      contexts: ['interactive', 'interactive'],
    })
  })

  test('is not renewed by a window that opens with the token in memory', async () => {
    const { client, dueSec, passSec } = await play(3600)
    passSec(1800)
    await client.startSession()
    expect(dueSec()).toBe(3300)
  })

  test('that is shorter than twice the lead has its banner half way', async () => {
    expect((await play(60)).dueSec()).toBe(30)
  })

  test('that is over while the laptop slept shows no banner any more', async () => {
    const { client, passSec, newEvents } = await play(3600)
    passSec(7200)
    await client.wake()
    expect(newEvents()).toEqual([expired])
  })

  test('means nothing for a key that stands in the document', async () => {
    const { url } = await startTestGateway()
    const setup = startTestClient(url, { kind: 'static', apiKey: 'key' }, { sessionLifetimeSec: 60 })
    const session = await setup.client.startSession()
    setup.passSec(120)
    await session.sendTurn('x')
    expect(setup.newEvents()).toEqual([clientEvents.started(), ...clientEvents.turnDone])
  })
})
