import { describe, expect, test } from 'vitest'
import { readAnswer } from '../../../src/client/session/send-turn.ts'

/** Reads an answer that arrives in these pieces; counts the pieces of output. */
async function read(contentType: string, ...pieces: readonly (string | Uint8Array)[]) {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece as string))
      controller.close()
    },
  })
  let outputs = 0
  const response = new Response(body, { headers: { 'content-type': contentType } })
  const onOutput = () => {
    outputs += 1
  }
  const answer = await readAnswer(response, onOutput, 'gateway.example')
  return { answer, outputs }
}

const stream = 'text/event-stream; charset=utf-8'
const delta = (text: string) =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`
const ping = 'event: ping\ndata: {"type":"ping"}\n\n'

describe('a stream', () => {
  const words = (text: string) => ({ text, isMessage: true })
  const nothing = { text: '', isMessage: false }

  test.each<[what: string, pieces: string[], answer: { text: string; isMessage: boolean }, outputs: number]>([
    ['the words are joined', [delta('Hel'), delta('lo')], words('Hello'), 2],
    ['signs of life are no output', [ping, delta('a'), ping, ping], words('a'), 1],
    ['an event may come in pieces', [delta('Hello').slice(0, 40), delta('Hello').slice(40)], words('Hello'), 1],
    ['line ends may have two characters', [delta('a').replaceAll('\n', '\r\n')], words('a'), 1],
    ['an event of another API is skipped', [': comment\n\n', 'data: {"x":1}\n\n', 'data: not JSON\n\n'], nothing, 0],
    ['events without words are no output', ['data: {"type":"message_start","message":{"id":"m"}}\n\n'], words(''), 0],
    [
      'an event without an end is not read',
      [delta('a'), 'data: {"type":"content_block_delta","delta":{"text":"b"}}'],
      words('a'),
      1,
    ],
    ['signs of life alone are no message', [ping], nothing, 0],
  ])('%s', async (_, pieces, answer, outputs) => {
    expect(await read(stream, ...pieces)).toEqual({ answer, outputs })
  })

  test('a letter may come in pieces', async () => {
    const bytes = Buffer.from(delta('ö'))
    const cut = bytes.indexOf(0xc3) + 1
    expect(await read(stream, bytes.subarray(0, cut), bytes.subarray(cut))).toEqual({
      answer: { text: 'ö', isMessage: true },
      outputs: 1,
    })
  })

  test('an error in the middle is reported', async () => {
    const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'
    expect(await read(stream, delta('a'), error, delta('b'))).toEqual({ answer: 'broken', outputs: 1 })
  })
})

describe('another answer', () => {
  test.each<[what: string, contentType: string, body: string, text: string, isMessage: boolean]>([
    [
      'a message gives its words',
      'application/json',
      '{"content":[{"type":"text","text":"a"},{"text":"b"}]}',
      'ab',
      true,
    ],
    [
      'blocks without words are left out',
      'application/json',
      '{"content":[{"type":"thinking"},{"text":"a"}]}',
      'a',
      true,
    ],
    ['the word of a failed stream is a word', 'application/json', '{"content":[{"text":"broken"}]}', 'broken', true],
    ['other JSON stays as it is', 'application/json', '{"error":1}', '{"error":1}', false],
    ['a page stays as it is', 'text/html', '<p>', '<p>', false],
    ['an empty answer stays empty', 'text/plain', '', '', false],
  ])('%s', async (_, contentType, body, text, isMessage) => {
    expect(await read(contentType, body)).toEqual({ answer: { text, isMessage }, outputs: 0 })
  })
})
