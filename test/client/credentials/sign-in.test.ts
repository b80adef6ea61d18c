import { describe, expect, test } from 'vitest'
import { setHelperStage, setStage, startedAt, told } from '../session/stage.ts'
import { startTestGateway } from '../turn/test-gateway.ts'

const banner = (remainingSec: number) => ({ type: 'reauthenticate-banner', remainingSec })
const expired = { type: 'sign-in-expired' }
const signInLost = told.lost('sign-in-expired', 'the sign-in has expired; a new session renews it')

async function play(sessionLifetimeSec: number) {
  const { url } = await startTestGateway()
  const stage = await setHelperStage(url, [], { ttlSec: 36_000 }, { inference: { sessionLifetimeSec } })
  const session = await stage.client.startSession()
  stage.happenings()
  const dueSec = () => (stage.client.dueAt() - startedAt) / 1000
  return { ...stage, session, dueSec }
}

describe('sessionLifetimeSec', () => {
  test('shows its banner five minutes before the end, once, and at the end no turn goes out', async () => {
    const { client, session, dueSec, passSec, happenings, contexts } = await play(3600)
    expect(dueSec()).toBe(3300)
    passSec(3299)
    await session.sendTurn('still')
    expect(happenings()).toEqual([told.reused(3299), ...told.turnDone])
    passSec(1)
    await client.wake()
    await client.wake()
    expect(happenings()).toEqual([banner(300)])
    expect(dueSec()).toBe(3600)
    passSec(300)
    await session.sendTurn('over')
    await session.sendTurn('over')
    expect(happenings()).toEqual([expired, signInLost, signInLost])
    expect(dueSec()).toBe(Number.POSITIVE_INFINITY)
    expect(await contexts()).toEqual(['interactive'])
  })

  test('begins anew with a session for which the helper runs, and other windows go on', async () => {
    const { client, session, passSec, happenings, contexts } = await play(3600)
    passSec(3600)
    await client.wake()
    const next = await client.startSession()
    await next.sendTurn('x')
    await session.sendTurn('y')
    expect(happenings()).toEqual([
      expired,
      ...told.sessionStart,
      told.reused(0),
      ...told.turnDone,
      told.reused(0),
      ...told.turnDone,
    ])
    expect(await contexts()).toEqual(['interactive', 'interactive'])
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
    const { client, passSec, happenings } = await play(3600)
    passSec(7200)
    await client.wake()
    expect(happenings()).toEqual([expired])
  })

  test('means nothing for a key that stands in the document', async () => {
    const { url } = await startTestGateway()
    const stage = setStage(url, { kind: 'static', apiKey: 'key' }, { sessionLifetimeSec: 60 })
    const session = await stage.client.startSession()
    stage.passSec(120)
    await session.sendTurn('x')
    expect(stage.happenings()).toEqual([told.started(), ...told.turnDone])
  })
})
