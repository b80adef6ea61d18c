import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { EchoMessage } from './echo-message.ts'

/** The time between two pings of a stream. */
const pingEveryMs = 250

/** A message word by word, as server-sent events with the names and the order that published clients expect. */
export function streamEcho(request: Context, message: EchoMessage): Response {
  const { content, usage, stop_reason, ...opening } = message
  const text = content.map((block) => block.text).join('')
  const events = [
    {
      type: 'message_start',
      message: { ...opening, content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...(text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]).map((word) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: word },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ]
  return streamSSE(request, async (stream) => {
    for (const event of events) await stream.writeSSE({ event: event.type, data: JSON.stringify(event) })
  })
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
