import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { errorBody } from '../http/error-envelope.ts'
import { refuseBrowsers } from '../http/refuse-browsers.ts'
import { type Sleep, streamAnswer } from './stream-answer.ts'

/** What a gateway makes of a credential; `reason` goes to its own record, never to the caller. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** One request for a message as the gateway saw it; never the token. */
export interface GatewayRecord {
  readonly status: number
  readonly verdict: Verdict
  /** Names and values beyond those that every client sends. */
  readonly headers: Readonly<Record<string, string>>
}

export interface MessagesApiSettings {
  /** `undefined` where a request carries no credential, or two that differ. */
  readonly judge: (token: string | undefined) => Verdict
  readonly record: (entry: GatewayRecord) => void
  readonly failureMode: GatewayFailureMode
  readonly sleep: Sleep
}

/** How the gateway answers for the time being, whoever asks. */
export interface GatewayFailureMode {
  /** Instead of any other answer. */
  status?: number
  /** How long a streamed answer is silent before its words come. */
  silentMs?: number
}

/** The Messages API as far as a turn needs it: the answer repeats the last message. */
export function createMessagesApi({ judge, record, failureMode, sleep }: MessagesApiSettings): Hono {
  const app = new Hono()
  app.use(refuseBrowsers)
  app.use(bodyLimit({ maxSize: largestBody, onError: (c) => refuse(c, 413, 'the body is too large') }))
  app.post('/v1/messages', async (c) => {
    const verdict = judge(credentialOf(c.req.header()))
    const request = parseRequest(await c.req.text())
    const status = failureMode.status ?? (verdict.ok ? (request ? 200 : 400) : 401)
    record({ status, verdict, headers: customHeaders(c.req.header()) })
    if (failureMode.status !== undefined) return refuse(c, failureMode.status, 'this gateway was told to answer so')
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

const largestBody = 1024 * 1024

/** By status, as the API names them. */
const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

function refuse(c: Context, status: number, message: string): Response {
  return c.json(errorBody(errorTypes[status] ?? 'api_error', message), status as ContentfulStatusCode)
}

const messageRequest = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  stream: z.boolean().optional(),
})

/** `undefined` where this is no request for a message. */
function parseRequest(body: string): z.infer<typeof messageRequest> | undefined {
  try {
    return messageRequest.parse(JSON.parse(body))
  } catch {
    return undefined // not JSON, or JSON of another shape
  }
}

/** A client sends the token in one of two headers; in both only if it is the same. */
function credentialOf(headers: Readonly<Record<string, string>>): string | undefined {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const key = headers['x-api-key']
  return bearer !== undefined && key !== undefined && bearer !== key ? undefined : (bearer ?? key)
}

/** Headers that somebody configured: those that start with `x-` and carry no credential. */
function customHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-') && name !== 'x-api-key'))
}
