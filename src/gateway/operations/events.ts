import { z } from 'zod'
import type { SessionEvent } from '../../api/session-event.ts'
import { apiPaths } from '../../contract/http-api.ts'
import type { AuthenticatedCall } from '../http/platform-env.ts'
import { readBody } from '../http/read-body.ts'
import type { Operation } from './operation.ts'
import { resolveSession } from './session-access.ts'

/** The operation on the events of a session. */
export const eventOperations: readonly Operation[] = [
  { method: 'POST', path: `${apiPaths.sessions}/:session_id/events`, area: 'sessions', query: [], answer: send },
]

/** How many events one request may hold. Our decision; the specification shows no bound. */
const mostEvents = 1000

const textBlock = z.strictObject({ type: z.literal('text'), text: z.string() })
const userMessage = z.strictObject({ type: z.literal('user.message'), content: z.array(textBlock).min(1) })
const eventList = z.strictObject({ events: z.array(userMessage).min(1).max(mostEvents) })

async function send(call: AuthenticatedCall): Promise<Response> {
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
