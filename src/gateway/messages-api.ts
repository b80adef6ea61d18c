import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { findBearerToken } from '../contract/headers.ts'
import { apiPaths, createErrorBody, errorTypes } from '../contract/http-api.ts'
import { createRequestId } from '../runtime/network/server-request.ts'
import { parseJson } from '../runtime/values/json-value.ts'
import { answerBrowsers, areaRules, defectMessage, noRouteMessage, unacceptedMessage } from './http/requests.ts'

/** The decision of a gateway about a credential; `reason` is for the gateway's own record, never for the caller. */
export type CredentialVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** One request for a message as the gateway received it, without the token. */
export interface GatewayRecord {
  readonly status: number
  readonly verdict: CredentialVerdict
  /** The headers that the client was configured to send. */
  readonly headers: Readonly<Record<string, string>>
}

/** The present fault of the gateway, which applies to every request. */
export interface GatewayFailureMode {
  /** The status of every answer. */
  status?: number
  /** How long a streamed answer holds only pings before its text, in milliseconds. */
  silentMs?: number
}

/** Creates the part of the Messages API that a turn needs. The answer repeats the last message. */
export function createMessagesApi({ verify, record, failureMode, sleep }: MessagesApiSettings): Hono {
  const app = new Hono()
  app.use(answerBrowsers)
  app.use(
    bodyLimit({ maxSize: areaRules.messages.largestBody, onError: (c) => reject(c, 413, 'the body is too large') }),
  )
  app.post(apiPaths.messages, async (c) => {
    const verdict = verify(findCredential(c.req.header()))
    const request = messageRequest.safeParse(parseJson(await c.req.text())).data
    const status = failureMode.status ?? (verdict.ok ? (request ? 200 : 400) : 401)
    record({ status, verdict, headers: toCustomHeaders(c.req.header()) })
    if (failureMode.status !== undefined)
      return reject(c, failureMode.status, 'this gateway is set to answer with this status')
    if (!verdict.ok) return reject(c, 401, unacceptedMessage)
    if (!request) return reject(c, 400, 'the body is not a messages request')
    const id = `msg_${randomUUID()}`
    const text = request.messages.at(-1)?.content ?? ''
    if (request.stream) return streamAnswer(c, { id, text, silentMs: failureMode.silentMs ?? 0, sleep })
    return c.json({ id, type: 'message', role: 'assistant', content: [{ type: 'text', text }] })
  })
  app.notFound((c) => reject(c, 404, noRouteMessage))
  app.onError((_, c) => reject(c, 500, defectMessage))
  return app
}

interface MessagesApiSettings {
  /** The argument is `undefined` if a request has no credential, or two different ones. */
  readonly verify: (token: string | undefined) => CredentialVerdict
  readonly record: (entry: GatewayRecord) => void
  readonly failureMode: GatewayFailureMode
  readonly sleep: Sleep
}

function reject(c: Context, status: number, message: string): Response {
  // A failure mode may be a status that the API does not have.
  const type = (errorTypes as Readonly<Record<number, string>>)[status] ?? errorTypes[500]
  return c.json(createErrorBody(type, message, createRequestId()), status as ContentfulStatusCode)
}

const messageRequest = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  stream: z.boolean().optional(),
})

/** Finds the credential in `authorization` or `x-api-key`; `undefined` if they contain different ones. */
function findCredential(headers: Readonly<Record<string, string>>): string | undefined {
  const bearer = findBearerToken(headers.authorization)
  const key = headers['x-api-key']
  return bearer !== undefined && key !== undefined && bearer !== key ? undefined : (bearer ?? key)
}

/** Returns the headers that the client was configured to send: those that begin with `x-`, except the credential. */
function toCustomHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-') && name !== 'x-api-key'))
}

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

/** Streams a message as server-sent events, in the names and order of the Messages API. */
function streamAnswer(c: Context, { id, text, silentMs, sleep }: StreamedAnswer): Response {
  return streamSSE(c, async (stream) => {
    const aborter = new AbortController()
    stream.onAbort(() => aborter.abort())
    const send = (type: string, members: object = {}) =>
      stream.writeSSE({ event: type, data: JSON.stringify({ type, ...members }) })
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
