import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { errorBody } from './error-envelope.ts'

/** What a gateway makes of a bearer token; `reason` goes to its own record, never to the caller. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

export interface GatewaySettings {
  /** `off` accepts every bearer token, revoked ones included. */
  readonly verify: ((token: string) => Verdict) | 'off'
}

/** One request as the gateway saw it; never the token. */
export interface GatewayRecord {
  readonly status: number
  readonly verdict: Verdict
  /** Names and values beyond those that every client sends. */
  readonly headers: Readonly<Record<string, string>>
}

export interface Gateway {
  readonly url: string
  readonly records: readonly GatewayRecord[]
  /** Refuses from now on every token that was accepted so far, as an administrator would after a leak. */
  revokeAll(): void
  close(): Promise<void>
}

/** Starts an inference gateway on loopback that answers messages with an echo and refuses what it cannot verify. */
export async function startGateway({ verify }: GatewaySettings): Promise<Gateway> {
  const records: GatewayRecord[] = []
  const accepted = new Set<string>()
  const revoked = new Set<string>()
  const judge = (token: string | undefined): Verdict => {
    if (token === undefined) return { ok: false, reason: 'no bearer token' }
    if (verify === 'off') return { ok: true }
    const verdict = revoked.has(token) ? ({ ok: false, reason: 'revoked' } as const) : verify(token)
    if (verdict.ok) accepted.add(token)
    return verdict
  }
  const server = createServer(getRequestListener(messagesApi(judge, records).fetch))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    revokeAll: () => {
      for (const token of accepted) revoked.add(token)
    },
    close: () => closeServer(server),
  }
}

const messageRequest = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
})

const largestBody = 1024 * 1024

function messagesApi(judge: (token: string | undefined) => Verdict, records: GatewayRecord[]): Hono {
  const app = new Hono()
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: (c) => c.json(errorBody('invalid_request_error', 'the body is too large'), 413),
    }),
  )
  app.post('/v1/messages', async (c) => {
    const verdict = judge(bearerOf(c.req.header('authorization')))
    const body = messageRequest.safeParse(await c.req.json().catch(() => undefined))
    const status = verdict.ok ? (body.success ? 200 : 400) : 401
    records.push({ status, verdict, headers: customHeaders(c.req.header()) })
    if (status === 401) return c.json(errorBody('authentication_error', 'the credential is not accepted'), 401)
    if (!body.success) return c.json(errorBody('invalid_request_error', 'the body is not a messages request'), 400)
    const text = body.data.messages.at(-1)?.content ?? ''
    return c.json({ id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', content: [{ type: 'text', text }] })
  })
  app.notFound((c) => c.json(errorBody('not_found_error', 'there is no such route'), 404))
  return app
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
}

/** Headers that somebody configured: those that start with `x-` and carry no credential. */
function customHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-') && name !== 'x-api-key'))
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
