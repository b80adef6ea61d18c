import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { createErrorBody, errorTypes } from '../../contract/error-envelope.ts'
import type { PlatformEnv } from './platform-env.ts'
import { Refusal } from './refusal.ts'

/** The error envelope for anything thrown. The name of an unexpected error is written to the record only. */
export function answerRefusal(thrown: Error, c: Context<PlatformEnv>): Response {
  const { status, message, headers, reason } = toRefusal(thrown, c.env.incoming)
  c.set('reason', reason)
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return c.body(JSON.stringify(createErrorBody(errorTypes[status], message, c.get('requestId'))), {
    status: status as 400, // Hono's list of statuses lacks 529
    headers: { 'content-type': 'application/json' },
  })
}

function toRefusal(thrown: Error, { destroyed, complete }: IncomingMessage): Refusal {
  if (thrown instanceof Refusal) return thrown
  // The client has disconnected in the middle of its request, so an error here is no defect of the gateway.
  if (destroyed && !complete) return new Refusal(400, 'the body ended too early', { reason: 'the client went away' })
  return new Refusal(500, 'this is a defect of the gateway', { reason: thrown.name })
}
