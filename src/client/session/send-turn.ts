// Sends one turn to a gateway over HTTP, and reads the answer.

import * as z from 'zod/mini'
import { fields } from '../../config/fields.ts'
import { isHeaderName, isSendableValue, mergeHeaders, toCredentialHeader } from '../../contract/headers.ts'
import { apiPaths, apiVersion } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import {
  EndlessResponseError,
  type ResponseBound,
  readBounded,
  streamBounded,
} from '../../runtime/network/bounded-body.ts'
import { findNetworkCode } from '../../runtime/network/network-failure.ts'
import { parseJson } from '../../runtime/values/json-value.ts'
import { vendor } from '../../vendor.ts'
import type { GatewayAnswer, NoAnswer, SendTurn, Turn, TurnAnswer } from './turn.ts'

/** Sends one turn to the gateway. Redirects are not followed, because the token would go to another server. */
export const sendTurn: SendTurn = async (turn) => {
  const headers = createTurnHeaders(turn)
  if (!isSendable(headers)) return { reason: 'unsendable' }
  const abort = new AbortController()
  let isIdle = false
  const onTimeout = () => {
    isIdle = true
    abort.abort()
  }
  // The idle time begins with the request.
  let stop = turn.startTimer(computeIdleMs(turn), onTimeout)
  const onOutput = () => {
    stop()
    stop = turn.startTimer(computeIdleMs(turn), onTimeout)
  }
  try {
    return await exchange(turn, headers, abort.signal, onOutput)
  } catch (error) {
    if (error instanceof EndlessResponseError) return { reason: 'endless', error }
    return isIdle ? { reason: 'idle' } : { reason: 'unreachable', ...toConnectionFailure(error) }
  } finally {
    stop()
  }
}

/** How long the client waits for the beginning of an answer, in real time. */
const answerTimeoutMs = 30_000

async function exchange(
  { inference, text, fetch = globalThis.fetch }: Turn,
  headers: Record<string, string>,
  signal: AbortSignal,
  onOutput: () => void,
): Promise<TurnAnswer> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), answerTimeoutMs)
  const request = { model: 'default', max_tokens: 256, stream: true, messages: [{ role: 'user', content: text }] }
  const response = await fetch(toMessagesUrl(inference.baseUrl), {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([signal, late.signal]),
    headers,
    body: JSON.stringify(request),
  }).finally(() => clearTimeout(timer))
  const answer = await readAnswer(response, onOutput, new URL(inference.baseUrl).host)
  if (answer === 'broken') return { reason: answer }
  return { status: response.status, headers: response.headers, ...answer }
}

/** Returns the address to which turns are sent. */
export function toMessagesUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${apiPaths.messages}`
}

/** Returns the code of a connection error or timeout, and never its message, which may repeat headers. */
function toConnectionFailure(error: unknown): Pick<NoAnswer, 'code' | 'error'> {
  const { cause, name } = error as Error & { cause?: { name?: unknown } }
  if (name === 'AbortError' || cause?.name === 'AbortError') return { code: 'no answer in time' }
  if (error instanceof HelperError) return { error }
  const code = findNetworkCode(error)
  if (code === undefined) throw error // a defect, not an unreachable gateway
  return { code }
}

function computeIdleMs({ inference }: Turn): number {
  return (inference.streamIdleTimeoutSec ?? defaultIdleSec) * 1000
}

/** The default in the field table. */
const defaultIdleSec = Number(fields.find(({ path }) => path === 'inference.streamIdleTimeoutSec')?.default)

/** Creates the headers of a turn: the document's, overridden by the helper's, overridden by the client's own. */
function createTurnHeaders({ inference, credential, authScheme }: Turn): Record<string, string> {
  return mergeHeaders(mergeHeaders(inference.customHeaders ?? {}, credential.headers), {
    ...toCredentialHeader(authScheme, credential.token.reveal()),
    [vendor.versionHeader]: apiVersion,
    'content-type': 'application/json',
  })
}

/** Returns whether HTTP can transmit these headers; a key in a document may contain other characters. */
function isSendable(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).every(([name, value]) => isHeaderName(name) && isSendableValue(value))
}

/**
 * Reads a gateway's answer: the text of a stream or of a message, the body of anything else. `onOutput` is called for each piece of text,
 * but not for pings. `broken`: the stream reported an error.
 * @throws {EndlessResponseError} for an answer without an end.
 */
export async function readAnswer(response: Response, onOutput: () => void, host: string): Promise<Body | 'broken'> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return parseBody((await readBounded(response, host, answerBound)).toString())
  let text = ''
  let isMessage = false
  for await (const event of readEvents(response, host)) {
    if (event.type === 'error') return 'broken'
    isMessage ||= event.type !== 'ping'
    if (event.delta?.text === undefined) continue
    text += event.delta.text
    onOutput()
  }
  return { text, isMessage }
}

type Body = Pick<GatewayAnswer, 'text' | 'isMessage'>

/** Many times the length of an answer to one turn. Our decision. */
const answerBound: ResponseBound = {
  bytes: 1024 * 1024,
  sec: 120,
  hint: 'check that baseUrl is the address of the API itself, and find out what answers there',
}

const streamEvent = z.object({ type: z.string(), delta: z.optional(z.object({ text: z.optional(z.string()) })) })

function parseBody(body: string): Body {
  const parsed = message.safeParse(parseJson(body))
  if (!parsed.success) return { text: body, isMessage: false }
  return { text: parsed.data.content.map(({ text }) => text ?? '').join(''), isMessage: true }
}

/** Events end with an empty line (HTML standard, "Server-sent events"). Unknown events are skipped, because the API may add some. */
async function* readEvents(response: Response, host: string): AsyncGenerator<z.infer<typeof streamEvent>> {
  const decoder = new TextDecoder()
  let unread = ''
  for await (const chunk of streamBounded(response, host, answerBound)) {
    unread += decoder.decode(chunk, { stream: true })
    const blocks = unread.split(/\r?\n\r?\n/)
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = streamEvent.safeParse(parseJson(parseEventText(block)))
      if (event.success) yield event.data
    }
  }
}

function parseEventText(block: string): string {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice('data:'.length)).join('\n')
}

/** Blocks of other kinds have no text. */
const message = z.object({ content: z.array(z.object({ text: z.optional(z.string()) })) })
