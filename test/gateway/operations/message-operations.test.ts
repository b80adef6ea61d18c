import { describe, expect, test } from 'vitest'
import { parseFault } from '../../../src/gateway/http/faults.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { message, refusal, startStage } from '../stage.ts'

async function start(...faults: string[]) {
  const stage = await startStage({ faults: faults.map(parseFault) })
  const post = (body: unknown) => stage.send('POST', '/v1/messages', { as: stage.seed.keys.personal.secret, body })
  return { ...stage, post }
}

const eventsIn = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line!))

describe('Create message', () => {
  test('model, max_tokens and messages give an echo of the last message', async () => {
    const { post } = await start()
    const messages = [
      ...message.messages,
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Wie geht’s? 🙂' },
    ]
    expect(toStableValue((await post({ ...message, messages })).body)).toEqual({
      id: 'msg_ID',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Wie geht’s? 🙂' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 3 },
    })
  })

  test('content may be blocks, of which only the texts are answered', async () => {
    const { post } = await start()
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', source: {} },
      { type: 'text', text: 'b' },
    ]
    const { body } = await post({ ...message, messages: [{ role: 'user', content }] })
    expect(body.content).toEqual([{ type: 'text', text: 'ab' }])
  })

  test('an unknown field changes nothing', async () => {
    const { post } = await start()
    const { body } = await post({ ...message, system: 's', tools: [] })
    expect(body.content).toEqual([{ type: 'text', text: 'Hello?' }])
  })

  test.each<[what: string, change: object, where: string]>([
    ['no model', { model: undefined }, 'model'],
    ['a model that is a number', { model: 1 }, 'model'],
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens'],
    ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens'],
    ['max_tokens of 1.5', { max_tokens: 1.5 }, 'max_tokens'],
    ['no messages', { messages: undefined }, 'messages'],
    ['an empty list', { messages: [] }, 'messages'],
    ['another role', { messages: [{ role: 'bogus', content: 'a' }] }, 'messages.0.role'],
    ['no content', { messages: [{ role: 'user' }] }, 'messages.0.content'],
  ])('%s is answered with 400', async (_, change, where) => {
    const { post } = await start()
    // The words behind the place belong to the library that checks it.
    expect(refusal(await post({ ...message, ...change })).split(': ', 2)).toEqual(['400 invalid_request_error', where])
  })

  test.each(['Hello?', 'one two  three\nfour ', ' ', ''])('stream gives the words of %j as events', async (content) => {
    const { post } = await start()
    const answer = await post({ ...message, messages: [{ role: 'user', content }], stream: true })
    const events = eventsIn(answer.body)
    expect({
      contentType: answer.headers.get('content-type'),
      types: events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]),
      text: events.map(({ delta }) => delta?.text ?? '').join(''),
    }).toEqual({
      contentType: 'text/event-stream',
      types: [
        'message_start',
        'content_block_start',
        'ping',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ],
      text: content,
    })
  })

  test('stream gives a text of blanks as one piece', async () => {
    const { post } = await start()
    const content = ' '.repeat(500_000)
    const answer = await post({ ...message, messages: [{ role: 'user', content }], stream: true })
    const texts = eventsIn(answer.body).flatMap(({ delta }) => delta?.text ?? [])
    expect(texts.map((text: string) => text.length)).toEqual([content.length])
  })

  test('stream gives each word with the blanks before it as a piece', async () => {
    const { post } = await start()
    const content = '  one two\n\nthree '
    const answer = await post({ ...message, messages: [{ role: 'user', content }], stream: true })
    expect(eventsIn(answer.body).flatMap(({ delta }) => delta?.text ?? [])).toEqual(['  one', ' two', '\n\nthree '])
  })

  test('stream can hold only pings', async () => {
    const { post } = await start('POST /v1/messages pings 600ms once')
    const { body } = await post({ ...message, stream: true })
    expect(eventsIn(body)).toEqual([{ type: 'ping' }, { type: 'ping' }, { type: 'ping' }])
  })
})
