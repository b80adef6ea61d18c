import { z } from 'zod'
import type { SessionEvent } from '../../api/session-event.ts'
import type { Call } from '../http/platform-env.ts'
import { readBody } from '../http/read-body.ts'
import type { Operation } from './operation.ts'
import { resolveSession } from './session-access.ts'

/** Events of a session: send. */
export const eventOperations: readonly Operation[] = [
  { method: 'POST', path: '/v1/sessions/:session_id/events', area: 'sessions', query: [], answer: send },
]

/** The most events of one request. The documents show no bound. */
const mostEvents = 1000

const textBlock = z.strictObject({ type: z.literal('text'), text: z.string() })
const userMessage = z.strictObject({ type: z.literal('user.message'), content: z.array(textBlock).min(1) })
const eventList = z.strictObject({ events: z.array(userMessage).min(1).max(mostEvents) })

async function send(call: Call): Promise<Response> {
  const { state, request } = call
  const session = resolveSession(call)
  const { events } = await readBody(request, eventList)
  const processedAt = state.now()
  const data = events.map(({ type, content }) => ({
    id: state.newId('event'),
    type,
    content,
    processed_at: new Date(processedAt).toISOString(),
  })) satisfies SessionEvent[]
  state.transact(() => {
    for (const { id, type, content } of data)
      state.sql.run`INSERT INTO events (id, session_id, type, content, processed_at)
        VALUES (${id}, ${session}, ${type}, ${JSON.stringify(content)}, ${processedAt})`
  })
  return request.json({ data })
}
