import { z } from 'zod'

/**
 * Reads a gateway's answer: the text of a stream or of a message, the body of anything else. `onOutput` is called for each
 * piece of text, not for pings. `broken`: the stream reported an error.
 */
export async function readAnswer(response: Response, onOutput: () => void): Promise<string | 'broken'> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return messageText(await response.text())
  let text = ''
  for await (const event of readEvents(response)) {
    if (event.type === 'error') return 'broken'
    if (event.delta?.text === undefined) continue
    text += event.delta.text
    onOutput()
  }
  return text
}

const streamEvent = z.object({ type: z.string(), delta: z.object({ text: z.string().optional() }).optional() })

/** Events end with an empty line. Events of an unknown shape are skipped, because the API may grow. */
async function* readEvents(response: Response): AsyncGenerator<z.infer<typeof streamEvent>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
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

const message = z.object({ content: z.array(z.object({ text: z.string() })) })

function messageText(body: string): string {
  const parsed = message.safeParse(parseJson(body))
  return parsed.success ? parsed.data.content.map(({ text }) => text).join('') : body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON; the shape is checked by the caller
  }
}
