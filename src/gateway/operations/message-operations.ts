import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import * as z from 'zod'
import { apiPaths } from '../../contract/http-api.ts'
import { type AuthenticatedCall, readBody } from '../http/requests.ts'
import type { Operation } from './session-operations.ts'

/** The operation on messages; the answer repeats the last message. */
export const messageOperations: readonly Operation[] = [
  { method: 'POST', path: apiPaths.messages, area: 'messages', query: [], answer: answerMessage },
]

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])

/** Other members are ignored: clients send many, and an echo needs none. */
const messageRequest = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content })).min(1),
  stream: z.boolean().optional(),
})

async function answerMessage({ state, request }: AuthenticatedCall): Promise<Response> {
  const { model, messages, stream } = await readBody(request, messageRequest)
  const text = joinText(messages.at(-1)!.content) // the shape requires at least one
  const words = countWords(text)
  const message: EchoMessage = {
    id: state.createId('message'),
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: words, output_tokens: words },
  }
  const fault = request.get('fault')
  if (fault?.effect.kind === 'pings') return streamPings(request, fault.effect.ms)
  return stream ? streamEcho(request, message) : request.json(message)
}

function joinText(from: z.infer<typeof content>): string {
  return typeof from === 'string' ? from : from.map(({ text = '' }) => text).join('')
}

/** Counts words in place of tokens, which only a model could count. */
function countWords(text: string): number {
  const word = /\S+/g
  let count = 0
  while (word.test(text)) count += 1 // a list of all words might not fit into memory
  return count
}

/** A message as the platform answers it. Our decision: the specification does not show it. */
interface EchoMessage {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly stop_reason: 'end_turn'
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

/** The time between two pings of a stream. */
const pingEveryMs = 250

/** Streams only pings for `ms`, so that a client can be tested for recognizing an idle stream. */
function streamPings(request: Context, ms: number): Response {
  return streamSSE(request, async (stream) => {
    for (let passed = 0; passed < ms && !stream.aborted; passed += pingEveryMs) {
      await stream.writeSSE({ event: 'ping', data: '{"type":"ping"}' })
      await stream.sleep(Math.min(pingEveryMs, ms - passed))
    }
  })
}

/** Streams a message word by word, as server-sent events with the names and the order that published clients expect. */
function streamEcho(request: Context, message: EchoMessage): Response {
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
 * Lists the words of a text, each with the blanks before it; the last word also has those at the end. A generator, because 32 MiB can be
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
