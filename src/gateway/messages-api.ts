import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { errorBody } from './error-envelope.ts'
import { refuseBrowsers } from './refuse-browsers.ts'

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
}

/** The Messages API as far as a turn needs it: the answer repeats the last message. */
export function createMessagesApi({ judge, record }: MessagesApiSettings): Hono {
  const app = new Hono()
  app.use(refuseBrowsers)
  app.use(bodyLimit({ maxSize: largestBody, onError: (c) => refuse(c, 413, 'the body is too large') }))
  app.post('/v1/messages', async (c) => {
    const verdict = judge(credentialOf(c.req.header()))
    const text = parseLastMessage(await c.req.text())
    const status = verdict.ok ? (text === undefined ? 400 : 200) : 401
    record({ status, verdict, headers: customHeaders(c.req.header()) })
    if (status === 401) return refuse(c, status, 'the credential is not accepted')
    if (status === 400) return refuse(c, status, 'the body is not a messages request')
    return c.json({ id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', content: [{ type: 'text', text }] })
  })
  app.notFound((c) => refuse(c, 404, 'there is no such route'))
  app.onError((_, c) => refuse(c, 500, 'this is a defect of the gateway'))
  return app
}

const largestBody = 1024 * 1024

/** By status, as the API names them. */
const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'invalid_request_error',
  500: 'api_error',
} as const

function refuse(c: Context, status: keyof typeof errorTypes, message: string): Response {
  return c.json(errorBody(errorTypes[status], message), status)
}

const messageRequest = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
})

/** The text of the last message, or `undefined` where this is no request for one. */
function parseLastMessage(body: string): string | undefined {
  try {
    return messageRequest.parse(JSON.parse(body)).messages.at(-1)?.content
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
