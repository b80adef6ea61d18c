import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { EchoMessage } from './echo-message.ts'

/** The time between two pings of a stream. */
const pingEveryMs = 250

/** A message word by word, as server-sent events with the names and the order that published clients expect. */
export function streamEcho(request: Context, message: EchoMessage): Response {
  const { content, usage, stop_reason, ...opening } = message
  const text = content.map((block) => block.text).join('')
  const start = { ...opening, content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } }
  function* listEvents() {
    yield { type: 'message_start', message: start }
    yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
    yield { type: 'ping' }
    for (const word of listWords(text))
      yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } }
    yield { type: 'content_block_stop', index: 0 }
    yield { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: usage.output_tokens } }
    yield { type: 'message_stop' }
  }
  return streamSSE(request, async (stream) => {
    for (const event of listEvents()) {
      if (stream.aborted) return
      await stream.writeSSE({ event: event.type, data: JSON.stringify(event) })
    }
  })
}

/**
 * The words of a text with the blanks before them; the last also has those at the end. One by one, because 32 MiB may be
 * millions of words.
 */
function* listWords(text: string): Generator<string> {
  const end = text.trimEnd().length
  let from = 0
  for (const { index } of text.matchAll(/(?<=\S)\s/g)) {
    if (index >= end) break
    yield text.slice(from, index)
    from = index
  }
  yield text.slice(from)
}

/** A stream that holds only pings, for `ms`; a client must recognize it as idle. */
export function streamPings(request: Context, ms: number): Response {
  return streamSSE(request, async (stream) => {
    for (let passed = 0; passed < ms && !stream.aborted; passed += pingEveryMs) {
      await stream.writeSSE({ event: 'ping', data: '{"type":"ping"}' })
      await stream.sleep(Math.min(pingEveryMs, ms - passed))
    }
  })
}
