import { z } from 'zod'
import { type ResponseBound, readBounded, streamBounded } from '../../runtime/network/fetch/bounded-body.ts'
import type { GatewayAnswer } from './turn.ts'

/** Our decision: many times what an answer to one turn takes. */
const answerBound: ResponseBound = {
  bytes: 1024 * 1024,
  sec: 120,
  hint: 'check that baseUrl is the address of the API itself, and find out what answers there',
}

type Body = Pick<GatewayAnswer, 'text' | 'isMessage'>

/**
 * Reads a gateway's answer: the text of a stream or of a message, the body of anything else. `onOutput` is called for each
 * piece of text, not for pings. `broken`: the stream reported an error.
 * @throws {EndlessResponseError} for one that does not end.
 */
export async function readAnswer(response: Response, onOutput: () => void, host: string): Promise<Body | 'broken'> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return parseBody((await readBounded(response, host, answerBound)).toString())
  let text = ''
  let isMessage = false
  for await (const event of readEvents(response, host)) {
    if (event.type === 'error') return 'broken'
    isMessage ||= event.type !== 'ping'
    if (event.delta?.text === undefined) continue
    text += event.delta.text
    onOutput()
  }
  return { text, isMessage }
}

const streamEvent = z.object({ type: z.string(), delta: z.object({ text: z.string().optional() }).optional() })

/** Events end with an empty line. Events of an unknown shape are skipped, because the API may grow. */
async function* readEvents(response: Response, host: string): AsyncGenerator<z.infer<typeof streamEvent>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of streamBounded(response, host, answerBound)) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = streamEvent.safeParse(parseJson(eventText(block)))
      if (event.success) yield event.data
    }
  }
}

function eventText(block: string): string {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice('data:'.length)).join('\n')
}

/** Blocks of other kinds have no text. */
const message = z.object({ content: z.array(z.object({ text: z.string().optional() })) })

function parseBody(body: string): Body {
  const parsed = message.safeParse(parseJson(body))
  if (!parsed.success) return { text: body, isMessage: false }
  return { text: parsed.data.content.map(({ text }) => text ?? '').join(''), isMessage: true }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON; the shape is checked by the caller
  }
}
