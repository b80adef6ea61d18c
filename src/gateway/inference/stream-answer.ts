import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'

/** Waits, in real or simulated time; ends early and without an error when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** The time between two pings of a stream. Our decision; the specification does not say. */
const pingIntervalMs = 15_000

interface StreamedAnswer {
  readonly id: string
  readonly text: string
  /** How long the stream holds only pings before its text. */
  readonly silentMs: number
  readonly sleep: Sleep
}

/** A message as server-sent events, in the names and order of the Messages API. */
export function streamAnswer(c: Context, { id, text, silentMs, sleep }: StreamedAnswer): Response {
  return streamSSE(c, async (stream) => {
    const aborter = new AbortController()
    stream.onAbort(() => aborter.abort())
    const send = (type: string, rest: object = {}) =>
      stream.writeSSE({ event: type, data: JSON.stringify({ type, ...rest }) })
    await send('message_start', { message: { id, type: 'message', role: 'assistant', content: [] } })
    for (let left = silentMs; left > 0 && !stream.aborted; left -= pingIntervalMs) {
      await sleep(Math.min(left, pingIntervalMs), aborter.signal)
      await send('ping')
    }
    await send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    await send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
    await send('content_block_stop', { index: 0 })
    await send('message_stop')
  })
}
