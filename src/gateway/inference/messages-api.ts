import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { createErrorBody, errorTypes } from '../../contract/error-envelope.ts'
import { apiPaths } from '../../contract/http-api.ts'
import { areaRules } from '../http/areas.ts'
import { refuseBrowsers } from '../http/refuse-browsers.ts'
import { parseBearer } from '../http/request-headers.ts'
import { type Sleep, streamAnswer } from './stream-answer.ts'

/** Whether a gateway accepts a credential; `reason` goes to its own record, never to the caller. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** One request for a message as the gateway received it, without the token. */
export interface GatewayRecord {
  readonly status: number
  readonly verdict: Verdict
  /** The headers that somebody configured. */
  readonly headers: Readonly<Record<string, string>>
}

interface MessagesApiSettings {
  /** Its argument is `undefined` where a request carries no credential, or two that differ. */
  readonly verify: (token: string | undefined) => Verdict
  readonly record: (entry: GatewayRecord) => void
  readonly failureMode: GatewayFailureMode
  readonly sleep: Sleep
}

/** How the gateway fails for now, whatever the request. */
export interface GatewayFailureMode {
  /** The status of every answer. */
  status?: number
  /** How long a streamed answer holds only pings before its text, in milliseconds. */
  silentMs?: number
}

/** The part of the Messages API that a turn needs; the answer repeats the last message. */
export function createMessagesApi({ verify, record, failureMode, sleep }: MessagesApiSettings): Hono {
  const app = new Hono()
  app.use(refuseBrowsers)
  app.use(
    bodyLimit({ maxSize: areaRules.messages.largestBody, onError: (c) => refuse(c, 413, 'the body is too large') }),
  )
  app.post(apiPaths.messages, async (c) => {
    const verdict = verify(findCredential(c.req.header()))
    const request = parseRequest(await c.req.text())
    const status = failureMode.status ?? (verdict.ok ? (request ? 200 : 400) : 401)
    record({ status, verdict, headers: toCustomHeaders(c.req.header()) })
    if (failureMode.status !== undefined)
      return refuse(c, failureMode.status, 'this gateway is set to answer with this status')
    if (!verdict.ok) return refuse(c, 401, 'the credential is not accepted')
    if (!request) return refuse(c, 400, 'the body is not a messages request')
    const id = `msg_${randomUUID()}`
    const text = request.messages.at(-1)?.content ?? ''
    if (request.stream) return streamAnswer(c, { id, text, silentMs: failureMode.silentMs ?? 0, sleep })
    return c.json({ id, type: 'message', role: 'assistant', content: [{ type: 'text', text }] })
  })
  app.notFound((c) => refuse(c, 404, 'there is no such route'))
  app.onError((_, c) => refuse(c, 500, 'this is a defect of the gateway'))
  return app
}

function refuse(c: Context, status: number, message: string): Response {
  // A failure mode may be a status that the API does not have.
  const type = (errorTypes as Readonly<Record<number, string>>)[status] ?? errorTypes[500]
  return c.json(createErrorBody(type, message, `req_${randomUUID()}`), status as ContentfulStatusCode)
}

const messageRequest = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  stream: z.boolean().optional(),
})

/** The request in a body; `undefined` where the body holds none. */
function parseRequest(body: string): z.infer<typeof messageRequest> | undefined {
  try {
    return messageRequest.parse(JSON.parse(body))
  } catch {
    return undefined // not JSON, or JSON of another shape
  }
}

/** The credential in `authorization` or `x-api-key`; `undefined` where they carry different ones. */
function findCredential(headers: Readonly<Record<string, string>>): string | undefined {
  const bearer = parseBearer(headers.authorization)
  const key = headers['x-api-key']
  return bearer !== undefined && key !== undefined && bearer !== key ? undefined : (bearer ?? key)
}

/** The headers that somebody configured: those that start with `x-` and are not the credential. */
function toCustomHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-') && name !== 'x-api-key'))
}
