// Folder: device sign-ins (RFC 8628) with the organization's provider: pending devices, pages for people, and answers to clients.

import type { IncomingMessage, RequestListener } from 'node:http'
import { answerGrant, answerToken, type DeviceAnswerParts, toServerMetadata } from './answer-client.ts'
import { answerCallback, answerCode, answerConfirmation } from './answer-device-pages.ts'
import {
  type DeviceAnswer,
  FormRefusal,
  parseQuery,
  readClientForm,
  readPageForm,
  send,
  toJson,
  toPage,
} from './device-http.ts'
import { renderEndPage, renderEntryPage } from './device-pages.ts'

/** The part of the server for the paths of device sign-ins. */
export interface DeviceListener {
  /** Whether the path of a request belongs to device sign-ins. */
  isFor(request: IncomingMessage): boolean
  readonly listener: RequestListener
  /** Reports the expired sign-ins; call it regularly. */
  expire(): void
}

/** Answers the clients that start and poll device sign-ins, and the browsers of the people who confirm them. */
export function createDeviceListener(parts: DeviceAnswerParts): DeviceListener {
  const routes = createRoutes(parts)
  const toPath = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0] ?? ''
  return {
    expire: () => {
      for (const { id } of parts.grants.takeExpired()) parts.observe({ outcome: 'expired', grant: id })
    },
    isFor: (request) => routes.has(toPath(request)),
    listener: (request, response) => {
      const route = routes.get(toPath(request)) ?? {}
      answer(request, route, parts).then(
        (found) => send(response, found),
        (cause: unknown) => {
          const note = cause instanceof Error ? cause.name : typeof cause
          parts.log.tellBounded({
            level: 'error',
            event: 'defect',
            message: 'a device sign-in failed',
            facts: { note },
          })
          send(response, toPage(500, renderEndPage('Something went wrong', 'Start again in the app.')))
        },
      )
    },
  }
}

type DeviceRoute = Readonly<
  Partial<Record<'GET' | 'POST', (request: IncomingMessage) => DeviceAnswer | Promise<DeviceAnswer>>>
>

function createRoutes(parts: DeviceAnswerParts): ReadonlyMap<string, DeviceRoute> {
  const { addresses } = parts
  return new Map<string, DeviceRoute>([
    [addresses.metadata, { GET: () => toJson(200, toServerMetadata(addresses)) }],
    [addresses.authorization, { POST: async (request) => answerGrant(parts, await readClientForm(request)) }],
    [addresses.token, { POST: async (request) => answerToken(parts, await readClientForm(request)) }],
    [
      addresses.page,
      {
        GET: (request) => toPage(200, renderEntryPage(addresses.page, parseQuery(request).get('user_code') ?? '')),
        POST: async (request) => answerCode(parts, await readPageForm(request, addresses.origin)),
      },
    ],
    [addresses.callback, { GET: (request) => answerCallback(parts, request) }],
    [
      addresses.confirmation,
      { POST: async (request) => answerConfirmation(parts, request, await readPageForm(request, addresses.origin)) },
    ],
  ])
}

/** Refuses other hosts (against DNS rebinding) and other methods. */
async function answer(
  request: IncomingMessage,
  route: DeviceRoute,
  { addresses }: DeviceAnswerParts,
): Promise<DeviceAnswer> {
  if (request.headers.host !== new URL(addresses.origin).host)
    return toPage(421, renderEndPage('This is another server', `Open ${addresses.origin}${addresses.page}`))
  const { method } = request
  const found = method === 'GET' || method === 'POST' ? route[method] : undefined
  if (!found)
    return { status: 405, headers: { allow: Object.keys(route).join(', '), 'cache-control': 'no-store' }, body: '' }
  try {
    return await found(request)
  } catch (error) {
    if (error instanceof FormRefusal) return error.answer
    throw error
  }
}
