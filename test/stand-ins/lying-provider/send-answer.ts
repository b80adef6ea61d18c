import type { ServerResponse } from 'node:http'
import type { Answer } from './lies.ts'

const portal = '<!doctype html><title>Hotel Wi-Fi</title><form action="/login"><input name="room"></form>'

/** Above every bound, and sent in one piece. */
const huge = `{"x":"${'x'.repeat(2 * 1024 * 1024)}"}`

/** In milliseconds, between two bytes. */
const dripMs = 40

export function sendAnswer(answer: Answer, response: ServerResponse, elsewhere: string): void {
  if (typeof answer === 'string') named[answer](response, elsewhere)
  else sendJson(response, answer)
}

const named: Record<Extract<Answer, string>, (response: ServerResponse, elsewhere: string) => void> = {
  silence: () => {},
  reset: (response) => void response.socket?.resetAndDestroy(),
  html: (response) => send(response, 200, { 'content-type': 'text/html; charset=utf-8' }, portal),
  huge: (response) => send(response, 200, json, huge),
  drip: (response) => {
    response.writeHead(200, json)
    const timer = setInterval(() => response.write(' '), dripMs)
    response.once('close', () => clearInterval(timer))
  },
  elsewhere: (response, location) => send(response, 307, { location }, ''),
}

/** Sends text as it is, anything else as JSON. */
export function sendJson(
  response: ServerResponse,
  { status = 200, headers = {}, body }: Exclude<Answer, string>,
): void {
  send(response, status, { ...json, ...headers }, typeof body === 'string' ? body : JSON.stringify(body))
}

const json = { 'content-type': 'application/json', 'cache-control': 'no-store' }

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  response.writeHead(status, headers).end(body)
}
