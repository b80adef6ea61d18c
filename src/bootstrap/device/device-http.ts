// Reads the forms and makes the answers of a device sign-in, for clients and browsers.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { formType, readRequestBody } from '../../runtime/network/server-request.ts'
import { pageHeaders, renderEndPage } from './device-pages.ts'

/** An answer that is one text: a JSON document or a page. */
export interface DeviceAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The page for a browser without a pending sign-in. */
export const strangerPage = renderEndPage(
  'This sign-in is not known here',
  'It was finished, has expired, or was begun in another browser. Nothing was allowed.',
  'Start again in the app.',
)

/** Thrown to refuse a form with an answer. */
export class FormRefusal extends Error {
  readonly answer: DeviceAnswer

  constructor(answer: DeviceAnswer) {
    super('the form is refused')
    this.answer = answer
  }
}

/**
 * Reads a form from a client. Browsers send `Origin` with forms, and a request with it is refused, because no web page may use this
 * endpoint.
 */
export async function readClientForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (request.headers.origin !== undefined) throw new FormRefusal(toError('invalid_request', 403))
  return readForm(request)
}

/** Reads a form from our own pages: browsers send the page's origin with a form. */
export async function readPageForm(request: IncomingMessage, origin: string): Promise<URLSearchParams> {
  const { origin: from, 'sec-fetch-site': site = 'same-origin' } = request.headers
  if (from !== origin || site !== 'same-origin') throw new FormRefusal(toPage(403, strangerPage))
  return readForm(request)
}

const longestForm = 8 * 1024

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { text, problem } = await readRequestBody(request, formType, longestForm)
  if (text === undefined) throw new FormRefusal(toError('invalid_request', problem === 'type' ? 415 : 413))
  const form = new URLSearchParams(text)
  // A parameter must not be repeated (RFC 6749, section 3.2).
  if (new Set(form.keys()).size !== form.size) throw new FormRefusal(toError('invalid_request'))
  return form
}

/** Parses the query of a request; empty without one. */
export function parseQuery({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'))
}

/**
 * Makes an OAuth error (RFC 6749, section 5.2).
 * @param status 400 unless the protocol defines another one.
 */
export function toError(error: string, status = 400): DeviceAnswer {
  return toJson(status, { error })
}

/**
 * Makes an answer in JSON that must not be cached.
 * @param more Additional headers.
 */
export function toJson(status: number, value: object, more: Readonly<Record<string, string>> = {}): DeviceAnswer {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  return { status, headers: { ...headers, ...more }, body: JSON.stringify(value) }
}

/** Makes an answer for a person's browser; devices get {@link toJson}. */
export function toPage(status: number, body: string): DeviceAnswer {
  return { status, headers: pageHeaders, body }
}

/** Sends an answer; does nothing if the connection is closed. */
export function send(response: ServerResponse, { status, headers, body }: DeviceAnswer): void {
  if (response.destroyed) return
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  response.end(body)
}
