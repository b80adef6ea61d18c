import type { IncomingMessage, ServerResponse } from 'node:http'
import { formType, readRequestBody } from '../../runtime/network/request-body.ts'
import { pageHeaders, renderEndPage } from './device-pages.ts'

/** An answer that is small enough to be kept as one text: a JSON document or a page. */
export interface DeviceAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The page for a browser in which no sign-in waits for what it sends. */
export const strangerPage = renderEndPage(
  'This sign-in is not known here',
  'It was finished, has expired, or was begun in another browser. Nothing was allowed.',
  'Start again in the app.',
)

/** A form that is not looked at any further. */
export class FormRefusal extends Error {
  readonly answer: DeviceAnswer

  constructor(answer: DeviceAnswer) {
    super('the form is refused')
    this.answer = answer
  }
}

/** A form that a client sends. A browser would name the page from which it comes; no page may ask for this. */
export async function readClientForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (request.headers.origin !== undefined) throw new FormRefusal(toError('invalid_request', 403))
  return readForm(request)
}

/** A form of our own pages: a browser says from which origin it comes. */
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
  // RFC 6749, section 3.2: no parameter may be there twice.
  if (new Set(form.keys()).size !== form.size) throw new FormRefusal(toError('invalid_request'))
  return form
}

/** The query of a request; empty if it has none. */
export function findQuery({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'))
}

/** An error of OAuth (RFC 6749, section 5.2). @param status 400 where the protocol says nothing else. */
export function toError(error: string, status = 400): DeviceAnswer {
  return toJson(status, { error })
}

/** An answer in JSON, which nobody may keep. @param more Headers besides. */
export function toJson(status: number, value: object, more: Readonly<Record<string, string>> = {}): DeviceAnswer {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  return { status, headers: { ...headers, ...more }, body: JSON.stringify(value) }
}

/** Answers a request from a person's browser; a device gets {@link toJson}. */
export function toPage(status: number, body: string): DeviceAnswer {
  return { status, headers: pageHeaders, body }
}

/** Sends an answer; nothing if the connection is gone. */
export function send(response: ServerResponse, { status, headers, body }: DeviceAnswer): void {
  if (response.destroyed) return
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  response.end(body)
}
