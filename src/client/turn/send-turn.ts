import { fields } from '../../config/fields.ts'
import { apiPaths } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import { EndlessResponseError } from '../../runtime/network/fetch/bounded-body.ts'
import { findNetworkCode } from '../../runtime/network/network-code.ts'
import { readAnswer } from './read-answer.ts'
import type { NoAnswer, SendTurn, Turn, TurnAnswer } from './turn.ts'
import { createTurnHeaders, isSendable } from './turn-headers.ts'

/** How long the client waits for an answer to begin, in real time. */
const answerTimeoutMs = 30_000

/** The default of the field table. */
const defaultIdleSec = Number(fields.find(({ path }) => path === 'inference.streamIdleTimeoutSec')?.default)

/** Sends one turn to the gateway. Redirects are not followed: they would carry the token elsewhere. */
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
  let stop = turn.startTimer(idleMs(turn), onTimeout)
  const onOutput = () => {
    stop()
    stop = turn.startTimer(idleMs(turn), onTimeout)
  }
  try {
    return await exchange(turn, headers, abort.signal, onOutput)
  } catch (error) {
    if (error instanceof EndlessResponseError) return { reason: 'endless', error }
    return isIdle ? { reason: 'idle' } : { reason: 'unreachable', ...describeError(error) }
  } finally {
    stop()
  }
}

async function exchange(
  { inference, text, fetch = globalThis.fetch }: Turn,
  headers: Record<string, string>,
  signal: AbortSignal,
  onOutput: () => void,
): Promise<TurnAnswer> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), answerTimeoutMs)
  const request = { model: 'default', max_tokens: 256, stream: true, messages: [{ role: 'user', content: text }] }
  const response = await fetch(`${inference.baseUrl.replace(/\/+$/, '')}${apiPaths.messages}`, {
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

/** The code of a connection error or timeout; never its message, which may repeat headers. */
function describeError(error: unknown): Pick<NoAnswer, 'code' | 'error'> {
  const { cause, name } = error as Error & { cause?: { name?: unknown } }
  if (name === 'AbortError' || cause?.name === 'AbortError') return { code: 'no answer in time' }
  if (error instanceof HelperError) return { error }
  const code = findNetworkCode(error)
  if (code === undefined) throw error // a defect, which must not be reported as an unreachable gateway
  return { code }
}

function idleMs({ inference }: Turn): number {
  return (inference.streamIdleTimeoutSec ?? defaultIdleSec) * 1000
}
