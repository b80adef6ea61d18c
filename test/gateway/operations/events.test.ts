import { describe, expect, test } from 'vitest'
import { toStableText } from '../../setup/to-stable-text.ts'
import { refusal, stageStart, startStage } from '../stage.ts'

async function start() {
  const { send, seed, ...stage } = await startStage()
  const post = (body: unknown) =>
    send('POST', `/v1/sessions/${seed.session}/events`, { as: seed.keys.personal.secret, body })
  return { ...stage, post }
}

const userMessage = (...texts: string[]) => ({
  type: 'user.message',
  content: texts.map((text) => ({ type: 'text', text })),
})

describe('Send events', () => {
  test('data has one record with id, content, type and processed_at for each event sent', async () => {
    const { post } = await start()
    const { status, body } = await post({ events: [userMessage('a', 'b'), userMessage('c')] })
    const ids = body.data.map(({ id }: { id: string }) => id)
    expect({ status, body, ids: ids.map(toStableText), inOrder: ids.toSorted() }).toEqual({
      status: 200,
      body: {
        data: [userMessage('a', 'b'), userMessage('c')].map((event, index) => ({
          id: ids[index],
          ...event,
          processed_at: new Date(stageStart).toISOString(),
        })),
      },
      ids: ['sevt_ID', 'sevt_ID'],
      inOrder: ids,
    })
  })

  test('all events of a request are stored, or none', async () => {
    const { post, state } = await start()
    await post({ events: [userMessage('a'), { type: 'bogus' }] })
    const refused = state.sql.all`SELECT * FROM events`
    await post({ events: Array.from({ length: 1000 }, () => userMessage('a')) })
    const [accepted] = state.sql.all`SELECT count(*) AS events FROM events`
    expect({ refused, accepted: { ...accepted } }).toEqual({ refused: [], accepted: { events: 1000 } })
  })

  test.each<[what: string, body: unknown, where: string]>([
    ['no events', {}, 'events'],
    ['an empty list', { events: [] }, 'events'],
    ['1001 events', { events: Array.from({ length: 1001 }, () => userMessage('a')) }, 'events'],
    ['another kind of event', { events: [{ ...userMessage('a'), type: 'user.interrupt' }] }, 'events.0.type'],
    [
      'another kind of block',
      { events: [{ type: 'user.message', content: [{ type: 'image' }] }] },
      'events.0.content.0.type',
    ],
    ['no content', { events: [{ type: 'user.message' }] }, 'events.0.content'],
    ['text in place of blocks', { events: [{ type: 'user.message', content: 'a' }] }, 'events.0.content'],
    ['an id of its own', { events: [{ ...userMessage('a'), id: 'mine' }] }, 'events.0'],
  ])('%s is answered with 400', async (_, body, where) => {
    const { post } = await start()
    // The words behind the place belong to the library that checks it.
    expect(refusal(await post(body)).split(': ', 2)).toEqual(['400 invalid_request_error', where])
  })

  test('an unknown session is answered with 404', async () => {
    const { send, seed } = await startStage()
    const options = { as: seed.keys.personal.secret, body: { events: [userMessage('a')] } }
    expect(refusal(await send('POST', '/v1/sessions/none/events', options))).toBe(
      '404 not_found_error: there is no such session',
    )
  })
})
