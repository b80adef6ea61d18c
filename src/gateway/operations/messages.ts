import { z } from 'zod'
import { apiPaths } from '../../contract/http-api.ts'
import type { AuthenticatedCall } from '../http/platform-env.ts'
import { readBody } from '../http/read-body.ts'
import type { EchoMessage } from './echo-message.ts'
import { streamEcho, streamPings } from './message-stream.ts'
import type { Operation } from './operation.ts'

/** The operation on messages; the answer repeats the last message. */
export const messageOperations: readonly Operation[] = [
  { method: 'POST', path: apiPaths.messages, area: 'messages', query: [], answer: create },
]

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])

/** Other members are ignored: real clients send many, and an echo needs none of them. */
const messageRequest = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content })).min(1),
  stream: z.boolean().optional(),
})

async function create({ state, request }: AuthenticatedCall): Promise<Response> {
  const { model, messages, stream } = await readBody(request, messageRequest)
  const text = textOf(messages.at(-1)!.content) // the shape requires at least one
  const words = countWords(text)
  const message: EchoMessage = {
    id: state.newId('message'),
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

function textOf(from: z.infer<typeof content>): string {
  return typeof from === 'string' ? from : from.map(({ text = '' }) => text).join('')
}

/** Stands for the number of tokens, which only a model could count. */
function countWords(text: string): number {
  const word = /\S+/g
  let count = 0
  while (word.test(text)) count += 1 // a list of millions of words would not fit into memory
  return count
}
